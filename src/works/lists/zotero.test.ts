import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HttpRequest, Send } from '../../http/index.ts';
import { Secret } from '../../http/index.ts';
import type { ZoteroWeb } from './zotero.ts';
import { parseZotero, readZotero } from './zotero.ts';

const items = Array.from({ length: 230 }, (_, at) => ({
  id: `key/${at}`,
  type: 'article-journal',
  title: `Paper ${at}`,
  DOI: at === 5 ? undefined : `10.1000/z${at}`,
  author: [{ family: 'Berg', given: 'Ana' }],
}));

const web: ZoteroWeb = { base: new URL('https://api.zotero.org/'), credentials: [] };
const withKey: ZoteroWeb = {
  ...web,
  credentials: [{ origin: web.base.origin, place: 'header', name: 'Zotero-API-Key', secret: new Secret('secret') }],
};

/** Zotero's API for one library: pages, their number, an occasional pause, a key if it is private. */
function zotero(library: { readonly key?: string; readonly version: number; readonly backoffSeconds?: number }): {
  readonly send: Send;
  readonly asked: HttpRequest[];
} {
  const asked: HttpRequest[] = [];
  const send: Send = (request) => {
    asked.push(request);
    const { url, credentials = [], headers = {} } = request;
    const answer = (status: number, body: string, more: Record<string, string> = {}) =>
      Promise.resolve({
        kind: 'response' as const,
        response: {
          status,
          headers: { 'last-modified-version': String(library.version), ...more },
          body: Buffer.from(body),
        },
        trail: {},
      } as unknown as Awaited<ReturnType<Send>>);
    if (library.key !== undefined && credentials[0]?.secret.reveal() !== library.key) return answer(403, 'Forbidden');
    if (Number(headers['if-modified-since-version'] ?? -1) >= library.version) return answer(304, '');
    const start = Number(url.searchParams.get('start'));
    const page = items.slice(start, start + Number(url.searchParams.get('limit')));
    const pause =
      start === 0 && library.backoffSeconds !== undefined ? { backoff: String(library.backoffSeconds) } : {};
    return answer(200, JSON.stringify({ items: page }), { 'total-results': String(items.length), ...pause });
  };
  return { send, asked };
}

test('a library is read page by page with its key, and Backoff is obeyed', async () => {
  const place = parseZotero('zotero:groups/4711/collections/abcd2345');
  assert.ok(place);
  const { send, asked } = zotero({ key: 'secret', version: 9, backoffSeconds: 7 });
  const waited: number[] = [];
  const wait = (ms: number): Promise<void> => Promise.resolve(void waited.push(ms));
  const versions: number[] = [];
  const kept = (version: number): void => void versions.push(version);
  const found = await Array.fromAsync(readZotero(place, { send, web: withKey, wait, kept }));
  assert.deepEqual(
    asked.map(({ url }) => `${url.origin}${url.pathname} ${url.searchParams.get('start')}`),
    [0, 100, 200].map((start) => `https://api.zotero.org/groups/4711/collections/ABCD2345/items/top ${start}`),
  );
  assert.equal(asked[0]?.headers?.['zotero-api-version'], '3');
  assert.deepEqual(waited, [7000]);
  assert.equal(found.filter(({ kind }) => kind === 'work').length, 229);
  // An item without an id is named by its number.
  assert.deepEqual(
    found.filter(({ kind }) => kind !== 'work').map(({ line }) => line),
    [6],
  );
  assert.deepEqual(versions, [9], 'reported once the whole library is read');
  await assert.rejects(Array.fromAsync(readZotero(place, { send, web, wait })), { code: 'ZOTERO_REFUSED' });
});

test('an unchanged library is not read again', async () => {
  const place = parseZotero('zotero:users/12');
  assert.ok(place);
  const wait = (): Promise<void> => Promise.resolve();
  const { send, asked } = zotero({ version: 9 });
  assert.deepEqual(await Array.fromAsync(readZotero(place, { send, web, wait, since: 9 })), []);
  assert.equal(asked.length, 1);
  assert.equal((await Array.fromAsync(readZotero(place, { send, web, wait, since: 8 }))).length, items.length);
});

test('a local Zotero is read without a key and completely, because its version ignores local additions', async () => {
  const place = parseZotero('zotero:local');
  assert.ok(place?.isLocal);
  const { send, asked } = zotero({ version: 1 });
  const versions: number[] = [];
  const found = await Array.fromAsync(
    readZotero(place, {
      send,
      web: withKey,
      wait: () => Promise.resolve(),
      since: 1,
      kept: (version) => void versions.push(version),
    }),
  );
  assert.deepEqual(versions, []);
  assert.equal(found.length, items.length);
  assert.equal(asked[0]?.url.href.split('?')[0], 'http://127.0.0.1:23119/api/users/0/items/top');
  assert.deepEqual(asked[0]?.credentials, []);
  assert.throws(() => parseZotero('zotero:nobody'), { code: 'USAGE_INPUT' });
});
