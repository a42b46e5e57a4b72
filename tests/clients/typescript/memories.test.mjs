// M1 to M5.

import assert from 'node:assert/strict';
import test from 'node:test';

import Anthropic from '@anthropic-ai/sdk';

import { every, matching, memories, newStore, pages, refused, sha256, versions } from './server.mjs';

const LARGEST = 102_400;
const TEXTS = [
  '',
  'one\ntwo',
  'one\r\ntwo\r\n',
  '\ufefftext',
  'cafe\u0301 and café',
  '👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈',
  'می‌خواهم کتاب‌ها را بخوانم',
  '{"a": "\\u0000"} <b> & %00',
  '\u0007\u001b[31m\u000b\u007f',
  '🧠'.repeat(LARGEST / 4),
];

test('a memory is made, read, changed, moved and deleted', async () => {
  const store = await newStore();
  const inside = { memory_store_id: store.id };
  const made = await memories.create(store.id, { path: '/notes/café.md', content: 'héllo' });
  assert.match(made.id, /^mem_/);
  assert.match(made.memory_version_id, /^memver_/);
  assert.deepEqual(
    [made.type, made.memory_store_id, made.path, made.content, made.content_size_bytes, made.content_sha256],
    ['memory', store.id, '/notes/café.md', null, 6, sha256('héllo')],
  );
  assert.deepEqual(await memories.retrieve(made.id, { ...inside, view: 'basic' }), made);
  assert.equal((await memories.retrieve(made.id, inside)).content, 'héllo');

  const changed = await memories.update(made.id, {
    ...inside,
    content: 'new',
    precondition: matching('héllo'),
    view: 'full',
  });
  assert.deepEqual([changed.id, changed.content, changed.created_at], [made.id, 'new', made.created_at]);
  // Once more, with a precondition that no longer holds: nothing to do is nothing to refuse.
  assert.deepEqual(
    await memories.update(made.id, { ...inside, content: 'new', precondition: matching('héllo'), view: 'full' }),
    changed,
  );

  const moved = await memories.update(made.id, { ...inside, path: '/moved.md', precondition: matching('new') });
  assert.deepEqual([moved.id, moved.path, moved.content_sha256], [made.id, '/moved.md', sha256('new')]);
  assert.equal((await every(versions.list(store.id, { memory_id: made.id }))).length, 3);

  assert.deepEqual(
    await memories.delete(made.id, { ...inside, expected_content_sha256: sha256('new') }),
    { id: made.id, type: 'memory_deleted' },
  );
  await refused(memories.retrieve(made.id, inside), Anthropic.NotFoundError, 'not_found_error');
  await refused(memories.delete(made.id, inside), Anthropic.NotFoundError, 'not_found_error');
});

test('every byte is kept', async () => {
  const store = await newStore();
  const inside = { memory_store_id: store.id };
  for (const [n, content] of TEXTS.entries()) {
    const made = await memories.create(store.id, { path: `/${n}`, content, view: 'full' });
    assert.deepEqual([made.content, made.content_sha256], [content, sha256(content)]);
    assert.equal((await memories.retrieve(made.id, inside)).content, content);
    const other = TEXTS[(n + 1) % TEXTS.length];
    await memories.update(made.id, { ...inside, content: other });
    const changed = await memories.retrieve(made.id, inside);
    assert.deepEqual([changed.content, changed.content_sha256], [other, sha256(other)]);
    assert.equal(changed.content_size_bytes, Buffer.byteLength(other));
  }
});

test('memories are listed by the bytes of their paths, page by page', async () => {
  const store = await newStore();
  const paths = ['/a-b', '/a.md', '/a/1', '/a/2/x', '/a/2/y', '/a0', '/z/1', '/é', '/日本', '/🧠'];
  for (const path of [...paths].reverse()) await memories.create(store.id, { path, content: path });
  const shown = (items) => items.map((item) => item.path);

  for (const limit of [1, 3, 10, 100]) {
    assert.deepEqual(shown(await every(memories.list(store.id, { limit }))), paths);
  }
  assert.deepEqual(
    (await pages(memories.list(store.id, { limit: 4 }))).map((page) => page.length),
    [4, 4, 2],
  );
  assert.deepEqual(shown(await every(memories.list(store.id, { path_prefix: '/a/', limit: 1 }))), [
    '/a/1',
    '/a/2/x',
    '/a/2/y',
  ]);
  const folded = await every(memories.list(store.id, { depth: 1, limit: 2 }));
  assert.deepEqual(shown(folded), ['/a-b', '/a.md', '/a/', '/a0', '/z/', '/é', '/日本', '/🧠']);
  assert.deepEqual(folded[2], { type: 'memory_prefix', path: '/a/' });
  assert.deepEqual(shown(await every(memories.list(store.id, { depth: 1, path_prefix: folded[2].path }))), [
    '/a/1',
    '/a/2/',
  ]);
  const full = await every(memories.list(store.id, { view: 'full', limit: 100 }));
  assert.deepEqual(full.map((item) => item.content), paths);
});

test('a page of texts holds twenty', async () => {
  const store = await newStore();
  for (let n = 0; n < 25; n += 1) await memories.create(store.id, { path: `/${n + 100}`, content: `${n}` });
  const found = await pages(memories.list(store.id, { view: 'full', limit: 100 }));
  assert.deepEqual(found.map((page) => page.length), [20, 5]);
  assert.deepEqual(found.flat().map((item) => item.content), Array.from({ length: 25 }, (_, n) => `${n}`));
});

test('a bad request is refused and nothing written', async () => {
  const store = await newStore();
  const inside = { memory_store_id: store.id };
  const made = await memories.create(store.id, { path: '/a', content: 'x' });
  for (const path of ['', 'a', '/', '/a/', '//a', '/../a', '/a\u0000', '/a\u200b', '/cafe\u0301']) {
    await refused(memories.create(store.id, { path, content: '' }), Anthropic.BadRequestError);
    await refused(memories.update(made.id, { ...inside, path }), Anthropic.BadRequestError);
  }
  for (const ask of [
    () => memories.create(store.id, { path: '/b', content: 'x'.repeat(LARGEST + 1) }),
    () => memories.create(store.id, { path: '/b', content: null }),
    () => memories.create(store.id, { path: '/b' }),
    // A half of a pair: JSON.stringify writes it as an escape, which is no text.
    () => memories.create(store.id, { path: '/b', content: '\ud83d' }),
    () => memories.create(store.id, { path: '/b', content: '', view: 'summary' }),
    () => memories.update(made.id, inside),
    () => memories.update(made.id, { ...inside, content: null, path: null }),
    () => memories.update(made.id, { ...inside, content: 'y', precondition: { type: 'content_sha256' } }),
    () => memories.update(made.id, { ...inside, content: 'y', precondition: { type: 'etag' } }),
    () => memories.delete(made.id, { ...inside, expected_content_sha256: 'short' }),
    () => memories.list(store.id, { depth: 2 }),
    () => memories.list(store.id, { limit: 101 }),
    () => memories.list(store.id, { path_prefix: '/a' }),
    () => memories.list(store.id, { page: 'page_nonsense' }),
  ]) {
    await refused(ask(), Anthropic.BadRequestError);
  }
  assert.equal((await every(versions.list(store.id))).length, 1);
  assert.deepEqual(await every(memories.list(store.id)), [made]);
});
