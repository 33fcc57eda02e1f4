import { Agent, fetch } from 'undici';
import type { RequestInit, Response } from 'undici';

const direct = new Agent();

/** Asks a server on this machine, past whatever proxy the environment names: a proxy elsewhere cannot reach it. */
export async function loopbackFetch(url: URL, init: RequestInit = {}): Promise<Response> {
  return await fetch(url, { ...init, dispatcher: direct });
}
