import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/** Loaded with the first request: commands that send none start sooner. */
export function undici(): typeof Undici {
  return require('undici') as typeof Undici;
}
