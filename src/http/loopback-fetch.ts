import type { Agent, RequestInit, Response } from 'undici';

import { undici } from './undici.ts';

/** Made for the first who asks. */
const direct: { agent?: Agent } = {};

/** Asks a server on this machine, past whatever proxy the environment names: a proxy elsewhere cannot reach it. */
export async function loopbackFetch(url: URL, init: RequestInit = {}): Promise<Response> {
  const { Agent, fetch } = undici();
  direct.agent ??= new Agent();
  return await fetch(url, { ...init, dispatcher: direct.agent });
}
