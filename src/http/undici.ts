import { createRequire } from 'node:module';
import type * as Undici from 'undici';
import type { Agent, RequestInit, Response } from 'undici';

const require = createRequire(import.meta.url);

/** Loaded on the first request: commands that send none start faster. */
export function undici(): typeof Undici {
  return require('undici') as typeof Undici;
}

const direct: { agent?: Agent } = {};

/** Requests a server on this machine, bypassing any proxy: a proxy elsewhere cannot reach it. */
export async function loopbackFetch(url: URL, init: RequestInit = {}): Promise<Response> {
  const { Agent, fetch } = undici();
  direct.agent ??= new Agent();
  return await fetch(url, { ...init, dispatcher: direct.agent });
}
