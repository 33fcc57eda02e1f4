import { Readable } from 'node:stream';

import * as z from 'zod';

import { AppError } from '../../base/index.ts';
import type { Credential, Headers, HttpRequest, Send } from '../../http/index.ts';
import { lookupText } from '../lookup.ts';
import type { ListedWork } from './listed-work.ts';
import { parseWorks } from './read-works.ts';

export interface ZoteroPlace {
  /** `users/123`, `groups/45`, or followed by `/collections/KEY`. */
  readonly path: string;
  readonly isLocal: boolean;
}

/** Zotero's local API, available once "Allow other applications" is enabled. */
const LOCAL = 'http://127.0.0.1:23119/api/';
const TOGETHER = 100;
/** Upper bound, so that a faulty server cannot send items forever. */
const MOST_ITEMS = 200_000;

/** `zotero:users/123`, `zotero:groups/45/collections/ABCD2345`, `zotero:local`; undefined for others. */
export function parseZotero(text: string): ZoteroPlace | undefined {
  const rest = /^zotero:(?:\/\/)?(.*)$/i.exec(text.trim())?.[1]?.replace(/(?<!\/)\/+$/, '');
  if (rest === undefined) return undefined;
  const [, owner = '', collection] =
    /^(local|(?:users|groups)\/\d{1,12})(?:\/collections\/([A-Z0-9]{8}))?$/i.exec(rest) ?? [];
  if (owner === '') {
    throw new AppError('USAGE_INPUT', `"${text.slice(0, 100)}" is not a Zotero library`, {
      hint: 'use zotero:users/ID, zotero:groups/ID or zotero:local, followed by /collections/KEY for one collection',
    });
  }
  const isLocal = owner.toLowerCase() === 'local';
  const library = isLocal ? 'users/0' : owner.toLowerCase();
  const path = collection === undefined ? library : `${library}/collections/${collection.toUpperCase()}`;
  return { path, isLocal };
}

export interface ZoteroWeb {
  readonly base: URL;
  readonly credentials: readonly Credential[];
}

/** What a request to Zotero needs. */
export interface ZoteroAsking {
  readonly send: Send;
  readonly web: ZoteroWeb;
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

interface ZoteroRequest extends Pick<HttpRequest, 'method' | 'body' | 'headers'> {
  /** Relative to the library or collection: `items/top?limit=100`. */
  readonly path: string;
}

/** Sends one request and waits if the answer asks for a pause. Undefined for an unchanged library; throws if refused. */
export async function askZotero(
  place: ZoteroPlace,
  { path, headers, ...rest }: ZoteroRequest,
  asking: ZoteroAsking,
): Promise<{ readonly text: string; readonly headers: Headers } | undefined> {
  const { base, credentials } = place.isLocal ? { base: new URL(LOCAL), credentials: [] } : asking.web;
  const request: HttpRequest = {
    ...rest,
    url: new URL(`${place.path}/${path}`, base),
    robots: 'terms',
    credentials,
    headers: { 'zotero-api-version': '3', accept: 'application/json', ...headers },
  };
  const answer = await lookupText(asking.send, request, asking.signal);
  if (answer.kind === 'problem' && answer.status === 304) return undefined;
  if (answer.kind !== 'found') throw refused(answer, place);
  const pause = Number(answer.response.headers['backoff'] ?? 0);
  if (pause > 0) await asking.wait(Math.min(pause, 600) * 1000, asking.signal);
  return { text: answer.value, headers: answer.response.headers };
}

/**
 * The items of a library; none if it is unchanged since version `since`. `kept` gets the version once all were read.
 * The local Zotero counts only synchronised changes as versions, so it is always read completely.
 */
export async function* readZotero(
  place: ZoteroPlace,
  options: ZoteroAsking & {
    readonly since?: number | undefined;
    readonly kept?: (version: number) => void;
  },
): AsyncGenerator<ListedWork> {
  const { isLocal } = place;
  const since = isLocal ? undefined : options.since;
  let version: number | undefined;
  for (let start = 0; start < MOST_ITEMS; start += TOGETHER) {
    const isKnown = start === 0 && since !== undefined;
    const request = {
      path: `items/top?format=csljson&limit=${TOGETHER}&start=${start}`,
      headers: isKnown ? { 'if-modified-since-version': String(since) } : {},
    };
    const page = await askZotero(place, request, options);
    if (!page) return;
    const { text, headers } = page;
    // From the first page: items added while reading count as changes next time.
    if (start === 0) version = z.coerce.number().int().safeParse(headers['last-modified-version']).data;
    let items = 0;
    for await (const listed of parseWorks(Readable.from([Buffer.from(text)]), 'csl')) {
      items += 1;
      // An item has no line; its number in the library identifies it.
      yield { ...listed, line: start + items };
    }
    const total = z.coerce.number().int().safeParse(headers['total-results']);
    if (items === 0 || (total.success ? start + TOGETHER >= total.data : items < TOGETHER)) {
      if (version !== undefined && !isLocal) options.kept?.(version);
      return;
    }
  }
}

function refused(
  answer: Exclude<Awaited<ReturnType<typeof lookupText>>, { kind: 'found' }>,
  place: ZoteroPlace,
): AppError {
  const what = `Zotero ${place.path}`;
  if (answer.kind === 'missing')
    return new AppError('ZOTERO_MISSING', `${what}: library or collection not found`, {
      hint: 'check the library id and the collection key',
    });
  if (answer.kind === 'later')
    return new AppError('ZOTERO_LATER', `${what}: rate-limited`, { hint: 'run the same command later to continue' });
  const hint = place.isLocal
    ? 'start Zotero and switch on "Allow other applications on this computer to communicate with Zotero" in its advanced settings'
    : 'set keys.zotero to a key from zotero.org/settings/keys that may read the library';
  return new AppError('ZOTERO_REFUSED', `${what}: ${answer.message}`, { hint });
}
