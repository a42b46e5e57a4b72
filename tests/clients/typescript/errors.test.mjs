// Conflicts, rights, betas, and what the headers say.

import assert from 'node:assert/strict';
import test from 'node:test';

import Anthropic from '@anthropic-ai/sdk';

import { connect, every, keys, matching, memories, newStore, recorded, refused, stores, versions } from './server.mjs';

test('a conflict names what is in the way and is not repeated', async () => {
  const store = await newStore();
  const inside = { memory_store_id: store.id };
  const { client, sent } = recorded();
  const recordedMemories = client.beta.memoryStores.memories;
  const blocking = await memories.create(store.id, { path: '/a/b', content: 'x' });
  const other = await memories.create(store.id, { path: '/z', content: 'x' });

  for (const [type, ask] of [
    ['memory_path_conflict_error', () => recordedMemories.create(store.id, { path: '/a/b', content: 'x' })],
    ['memory_path_conflict_error', () => recordedMemories.create(store.id, { path: '/a', content: '' })],
    ['memory_path_conflict_error', () => recordedMemories.create(store.id, { path: '/a/b/c', content: '' })],
    ['memory_path_conflict_error', () => recordedMemories.update(other.id, { ...inside, path: '/a/b' })],
    [
      'memory_precondition_failed_error',
      () => recordedMemories.update(other.id, { ...inside, content: 'y', precondition: matching('y') }),
    ],
    [
      'memory_precondition_failed_error',
      () => recordedMemories.delete(other.id, { ...inside, expected_content_sha256: '0'.repeat(64) }),
    ],
  ]) {
    sent.length = 0;
    const error = await refused(ask(), Anthropic.ConflictError, type);
    assert.equal(sent.length, 1);
    assert.equal(error.headers.get('x-should-retry'), 'false');
    if (type === 'memory_path_conflict_error') {
      assert.equal(error.error.error.conflicting_path, '/a/b');
      assert.equal(error.error.error.conflicting_memory_id, blocking.id);
    }
  }
  assert.equal((await every(versions.list(store.id))).length, 2);
});

test('a key may do what its access says', async () => {
  const store = await newStore();
  const inside = { memory_store_id: store.id };
  const memory = await memories.create(store.id, { path: '/a', content: 'x' });

  await refused(connect('mck_wrong').beta.memoryStores.list(), Anthropic.AuthenticationError, 'authentication_error');

  const reader = connect(keys.readOnly).beta.memoryStores;
  assert.equal((await reader.memories.retrieve(memory.id, inside)).content, 'x');
  for (const ask of [
    () => reader.create({ name: 'n' }),
    () => reader.archive(store.id),
    () => reader.memories.create(store.id, { path: '/b', content: '' }),
    () => reader.memories.update(memory.id, { ...inside, content: 'y' }),
    () => reader.memories.delete(memory.id, inside),
    () => reader.memoryVersions.redact(memory.memory_version_id, inside),
  ]) {
    await refused(ask(), Anthropic.PermissionDeniedError, 'permission_error');
  }

  const writer = connect(keys.readWrite).beta.memoryStores;
  await writer.memories.update(memory.id, { ...inside, content: 'y' });
  for (const ask of [
    () => writer.delete(store.id),
    () => writer.memoryVersions.redact(memory.memory_version_id, inside),
  ]) {
    await refused(ask(), Anthropic.PermissionDeniedError, 'permission_error');
  }
});

test('another workspace knows nothing of it', async () => {
  const store = await newStore();
  const inside = { memory_store_id: store.id };
  const memory = await memories.create(store.id, { path: '/a', content: 'x' });
  const stranger = connect(keys.stranger).beta.memoryStores;
  for (const ask of [
    () => stranger.retrieve(store.id),
    () => stranger.delete(store.id),
    () => stranger.memories.list(store.id),
    () => stranger.memories.retrieve(memory.id, inside),
    () => stranger.memories.update(memory.id, { ...inside, content: 'y' }),
    () => stranger.memories.delete(memory.id, inside),
    () => stranger.memoryVersions.list(store.id),
    () => stranger.memoryVersions.retrieve(memory.memory_version_id, inside),
    () => stranger.memoryVersions.redact(memory.memory_version_id, inside),
  ]) {
    await refused(ask(), Anthropic.NotFoundError, 'not_found_error');
  }
  assert.deepEqual(await every(memories.list(store.id)), [memory]);
});

test('the workspace header has to name the workspace of the key', async () => {
  const store = await newStore();
  const mine = (await stores.retrieve(store.id))._workspace_id;
  assert.match(mine, /^wrkspc_/);
  assert.deepEqual(await stores.retrieve(store.id, { workspace_id: mine }), store);
  await refused(
    stores.retrieve(store.id, { workspace_id: 'wrkspc_01other' }),
    Anthropic.PermissionDeniedError,
    'permission_error',
  );
});

test('both betas together are refused; one twice and unknown ones are not', async () => {
  const store = await newStore();
  await refused(stores.retrieve(store.id, { betas: ['managed-agents-2026-04-01'] }), Anthropic.BadRequestError);
  for (const betas of [['agent-memory-2026-07-22'], ['some-helper-2026-01-01']]) {
    assert.deepEqual(await stores.retrieve(store.id, { betas }), store);
  }
});

test('the headers of older clients are understood', async () => {
  const store = await newStore();
  const old = connect(null, {
    defaultHeaders: { 'x-api-key': keys.admin, authorization: null, 'anthropic-version': '2023-06-01' },
    defaultQuery: { beta: 'true' },
  });
  const headers = { 'anthropic-beta': 'managed-agents-2026-04-01' };
  assert.deepEqual(await old.beta.memoryStores.retrieve(store.id, {}, { headers }), store);
  const memory = await old.beta.memoryStores.memories.create(store.id, { path: '/a', content: 'x' }, { headers });
  assert.deepEqual(await every(old.beta.memoryStores.memories.list(store.id, {}, { headers })), [memory]);
});

test('every answer carries its request id', async () => {
  const store = await newStore();
  const { data, response, request_id: requestID } = await stores.retrieve(store.id).withResponse();
  assert.match(requestID, /^req_/);
  assert.equal(data._request_id, requestID);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/json');
});

test('an update whose answer was lost is repeated without harm', async () => {
  const store = await newStore();
  const memory = await memories.create(store.id, { path: '/a', content: 'one' });
  let lose = 1;
  const lossyFetch = async (url, init) => {
    const response = await fetch(url, init);
    if (lose === 0) return response;
    lose -= 1;
    await response.text();
    throw new TypeError('lost on the way');
  };
  const lossy = connect(keys.admin, { fetch: lossyFetch }).beta.memoryStores.memories;
  const updated = await lossy.update(memory.id, {
    memory_store_id: store.id,
    content: 'two',
    precondition: matching('one'),
  });
  assert.equal(lose, 0);
  assert.deepEqual(
    (await every(versions.list(store.id))).map((version) => version.id),
    [updated.memory_version_id, memory.memory_version_id],
  );
});
