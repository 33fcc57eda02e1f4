import type { Config } from '../config/index.ts';
import type { Lookups } from '../resolve/index.ts';
import { findByTitle } from '../resolve/index.ts';
import type { Asking } from './open-download.ts';

/** The search for works by their titles, with the thresholds of the settings. */
export function titleSearch({ download }: Config, lookups: Lookups, contact: string): Asking['byTitle'] {
  const search = { lookups, contact, accept: download.title_accept, review: download.title_review };
  return (cited, signal) => findByTitle(cited, search, signal);
}
