import { AppError } from '../base/index.ts';
import type { DocumentPlace } from '../library/index.ts';
import type { SharedCorpus } from '../run/index.ts';

/** How readers of the folder reach what is shared. */
export function sharedPlace(shared: SharedCorpus | undefined): Pick<DocumentPlace, 'stored' | 'journal'> {
  return shared ? { stored: shared.files, journal: shared.journal } : {};
}

/** Throws if a corpus is in its folder only. */
export function requireShared(shared: SharedCorpus | undefined): SharedCorpus {
  if (shared) return shared;
  throw new AppError('USAGE_DATABASE', 'this corpus is in its folder, not in a database', {
    hint: 'open it with --database postgres://user@host/database',
  });
}
