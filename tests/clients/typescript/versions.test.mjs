// V1 to V3.

import assert from 'node:assert/strict';
import test from 'node:test';

import Anthropic from '@anthropic-ai/sdk';

import { connect, every, keys, memories, newStore, pages, refused, sha256, versions } from './server.mjs';

async function life() {
  const store = await newStore();
  const inside = { memory_store_id: store.id };
  const memory = await memories.create(store.id, { path: '/a', content: 'one' });
  await memories.update(memory.id, { ...inside, content: 'two' });
  await memories.update(memory.id, { ...inside, path: '/b' });
  await memories.delete(memory.id, inside);
  return { store, inside, memory, found: await every(versions.list(store.id)) };
}

test('versions are listed newest first, page by page, and read one by one', async () => {
  const { store, inside, memory, found } = await life();
  assert.deepEqual(
    found.map((v) => [v.operation, v.path, v.content_sha256, v.content]),
    [
      ['deleted', '/b', null, null],
      ['modified', '/b', sha256('two'), null],
      ['modified', '/a', sha256('two'), null],
      ['created', '/a', sha256('one'), null],
    ],
  );
  for (const version of found) {
    assert.match(version.id, /^memver_/);
    assert.deepEqual([version.memory_id, version.memory_store_id], [memory.id, store.id]);
    assert.equal(version.created_by.type, 'api_actor');
    assert.match(version.created_by.api_key_id, /^apikey_/);
    assert.deepEqual(await versions.retrieve(version.id, { ...inside, view: 'basic' }), version);
  }
  assert.equal((await versions.retrieve(found[3].id, inside)).content, 'one');
  assert.deepEqual(await every(versions.list(store.id, { limit: 1 })), found);
  assert.deepEqual(
    (await pages(versions.list(store.id, { limit: 3 }))).map((page) => page.length),
    [3, 1],
  );
  assert.deepEqual(
    (await every(versions.list(store.id, { view: 'full' }))).map((version) => version.content),
    [null, 'two', 'two', 'one'],
  );
});

test('filters combine', async () => {
  const { store, memory, found } = await life();
  const other = connect(keys.readWrite).beta.memoryStores.memories;
  const second = await other.create(store.id, { path: '/second', content: '' });
  const [newest] = await every(versions.list(store.id, { memory_id: second.id }));
  const listed = (query) => every(versions.list(store.id, { limit: 2, ...query }));

  assert.deepEqual(await listed({ memory_id: memory.id }), found);
  assert.deepEqual(await listed({ operation: 'modified' }), found.slice(1, 3));
  assert.deepEqual(await listed({ operation: 'created' }), [newest, found[3]]);
  assert.deepEqual(await listed({ api_key_id: newest.created_by.api_key_id }), [newest]);
  assert.deepEqual(await listed({ api_key_id: found[0].created_by.api_key_id }), found);
  assert.deepEqual(await listed({ session_id: 'sesn_01x' }), []);
  assert.deepEqual(await listed({ service_account_id: 'svac_01x' }), []);
  assert.deepEqual(await listed({ memory_id: 'mem_01x' }), []);
  assert.deepEqual(
    await listed({ 'created_at[gte]': found[2].created_at, 'created_at[lte]': found[1].created_at }),
    found.slice(1, 3),
  );
  await refused(listed({ operation: 'renamed' }), Anthropic.BadRequestError);
});

test('a version is redacted for good, but for the head', async () => {
  const store = await newStore();
  const inside = { memory_store_id: store.id };
  const memory = await memories.create(store.id, { path: '/a', content: 'secret' });
  await refused(versions.redact(memory.memory_version_id, inside), Anthropic.BadRequestError);
  await memories.update(memory.id, { ...inside, content: 'clean' });

  const before = await versions.retrieve(memory.memory_version_id, inside);
  const redacted = await versions.redact(before.id, inside);
  assert.ok(redacted.redacted_at > before.created_at);
  assert.deepEqual(redacted, {
    ...before,
    path: null,
    content: null,
    content_sha256: null,
    content_size_bytes: null,
    redacted_at: redacted.redacted_at,
    redacted_by: before.created_by,
  });
  assert.deepEqual(await versions.redact(before.id, inside), redacted);
  assert.deepEqual(await versions.retrieve(before.id, inside), redacted);
  assert.equal((await memories.retrieve(memory.id, inside)).content, 'clean');
});
