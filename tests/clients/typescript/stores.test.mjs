// S1 to S6.

import assert from 'node:assert/strict';
import test from 'node:test';

import Anthropic from '@anthropic-ai/sdk';

import { every, memories, newStore, pages, refused, stores, versions } from './server.mjs';

test('a store is made, read, changed, archived and deleted', async () => {
  const made = await stores.create({ name: 'Support', description: 'what we learned', metadata: { a: '1', b: '2' } });
  assert.match(made.id, /^memstore_/);
  assert.equal(made.type, 'memory_store');
  assert.deepEqual(made.metadata, { a: '1', b: '2' });
  assert.equal(made.archived_at, null);
  assert.match(made.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  assert.deepEqual(await stores.retrieve(made.id), made);

  const changed = await stores.update(made.id, { description: '', metadata: { a: null, c: '3' } });
  assert.deepEqual(
    [changed.name, changed.description, changed.metadata],
    ['Support', '', { b: '2', c: '3' }],
  );
  assert.ok(changed.updated_at > made.updated_at);
  assert.deepEqual(await stores.update(made.id, {}), changed);

  const archived = await stores.archive(made.id);
  assert.ok(archived.archived_at);
  assert.deepEqual(await stores.archive(made.id), archived);
  await refused(stores.update(made.id, { name: 'new' }), Anthropic.BadRequestError);
  await refused(memories.create(made.id, { path: '/a', content: '' }), Anthropic.BadRequestError);

  assert.deepEqual(await stores.delete(made.id), { id: made.id, type: 'memory_store_deleted' });
  for (const ask of [
    () => stores.retrieve(made.id),
    () => stores.delete(made.id),
    () => memories.list(made.id),
    () => versions.list(made.id),
  ]) {
    await refused(ask(), Anthropic.NotFoundError, 'not_found_error');
  }
});

test('what is left out is filled in', async () => {
  const { description, metadata } = await newStore();
  assert.deepEqual({ description, metadata }, { description: '', metadata: {} });
});

test('stores are listed newest first, page by page, as filtered', async () => {
  const made = [];
  for (let n = 0; n < 5; n += 1) made.push(await newStore());
  made[2] = await stores.archive(made[2].id);
  const newestFirst = [...made].reverse();
  const since = { 'created_at[gte]': made[0].created_at };

  assert.deepEqual(await every(stores.list({ ...since, limit: 2, include_archived: true })), newestFirst);
  assert.deepEqual(
    (await pages(stores.list({ ...since, limit: 2, include_archived: true }))).map((page) => page.length),
    [2, 2, 1],
  );
  assert.deepEqual(
    await every(stores.list({ ...since, limit: 1 })),
    newestFirst.filter((store) => !store.archived_at),
  );
  assert.deepEqual(
    await every(stores.list({ ...since, 'created_at[lte]': made[1].created_at })),
    [made[1], made[0]],
  );
});

test('a bad request is refused', async () => {
  const store = await newStore();
  for (const ask of [
    () => stores.create({ name: '' }),
    () => stores.create({ name: 'n'.repeat(256) }),
    () => stores.create({ name: 'n', description: null }),
    () => stores.create({ name: 'n', metadata: { key: 1 } }),
    () => stores.create({ name: 'n', colour: 'red' }),
    () => stores.update(store.id, { name: 'a\nb' }),
    () => stores.list({ limit: 0 }),
    () => stores.list({ limit: 101 }),
    () => stores.list({ page: 'page_nonsense' }),
    () => stores.list({ 'created_at[gte]': '2026-11-30T12:00:00' }),
  ]) {
    await refused(ask(), Anthropic.BadRequestError);
  }
  assert.deepEqual(await stores.retrieve(store.id), store);
});
