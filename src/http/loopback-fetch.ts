import type { Agent, RequestInit, Response } from 'undici';

import { undici } from './undici.ts';

const direct: { agent?: Agent } = {};

/** Requests a server on this machine, bypassing any proxy: a proxy elsewhere cannot reach it. */
export async function loopbackFetch(url: URL, init: RequestInit = {}): Promise<Response> {
  const { Agent, fetch } = undici();
  direct.agent ??= new Agent();
  return await fetch(url, { ...init, dispatcher: direct.agent });
}
