import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/** The package that speaks HTTP, read when somebody first has something to ask: a command that asks nobody starts sooner. */
export function undici(): typeof Undici {
  return require('undici') as typeof Undici;
}
