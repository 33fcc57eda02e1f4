import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/** Loaded on the first request: commands that send none start faster. */
export function undici(): typeof Undici {
  return require('undici') as typeof Undici;
}
