// Clients of the server that test_typescript_sdk.py started; they know an address and a key, nothing else.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import Anthropic from '@anthropic-ai/sdk';

export const baseURL = process.env.MEMCONSOLE_TEST_URL;
export const keys = {
  admin: process.env.MEMCONSOLE_TEST_ADMIN_KEY,
  readOnly: process.env.MEMCONSOLE_TEST_READ_ONLY_KEY,
  readWrite: process.env.MEMCONSOLE_TEST_READ_WRITE_KEY,
  stranger: process.env.MEMCONSOLE_TEST_STRANGER_KEY,
};

export const connect = (apiKey = keys.admin, options = {}) => new Anthropic({ baseURL, apiKey, ...options });

export const client = connect();
export const stores = client.beta.memoryStores;
export const { memories, memoryVersions: versions } = stores;

export const newStore = () => stores.create({ name: 'from TypeScript' });

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

export const matching = (text) => ({ type: 'content_sha256', content_sha256: sha256(text) });

/** A client, and the list of requests that it puts on the wire, repeats included. */
export function recorded(apiKey = keys.admin) {
  const sent = [];
  const recordingFetch = (url, init) => {
    sent.push({ method: init.method, url: String(url), headers: new Headers(init.headers) });
    return fetch(url, init);
  };
  return { client: connect(apiKey, { fetch: recordingFetch }), sent };
}

/** All items of all pages, by the SDK's own paging. */
export async function every(listing) {
  const items = [];
  for await (const item of listing) items.push(item);
  return items;
}

/** The items page by page, by the SDK's own paging. */
export async function pages(listing) {
  const found = [];
  for await (const page of (await listing).iterPages()) found.push(page.data);
  return found;
}

/** The promise fails with exactly this class, and what is behind it has the contract's shape. */
export async function refused(promise, errorClass, type = 'invalid_request_error') {
  const error = await promise.then(
    () => assert.fail(`${errorClass.name} was expected`),
    (failure) => failure,
  );
  assert.equal(error.constructor, errorClass, String(error));
  assert.equal(error.type, type);
  assert.ok(error.apiMessage);
  assert.equal(error.error.type, 'error');
  assert.match(error.requestID, /^req_/);
  assert.equal(error.error.request_id, error.requestID);
  assert.equal(error.headers.get('content-type'), 'application/json');
  return error;
}
