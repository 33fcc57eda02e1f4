import { AppError } from '../base/index.ts';
import type { Reader } from './reader.ts';
import type { Nearness } from './rules.ts';
import { rulesReader } from './rules.ts';
import { openTrainedReader } from './trained.ts';

/** Which reader to use; `best` takes the trained one where it can run. */
type ReaderChoice = 'best' | 'rules' | 'trained';

/** A reader, and why it is not the trained one if that was wanted. */
interface OpenedReader {
  readonly reader: Reader;
  readonly missing: AppError | null;
}

/** Codes of errors that say that a package the trained reader needs is not installed. */
const NOT_INSTALLED: ReadonlySet<string> = new Set(['MODEL_NOT_INSTALLED']);

/** Opens a reader. Without the packages of the trained one, `best` falls back to rules; `trained` fails. */
export async function openReader(
  choice: ReaderChoice,
  { nearness, threads }: { readonly nearness: Nearness; readonly threads: number },
): Promise<OpenedReader> {
  const rules = rulesReader(nearness);
  if (choice === 'rules') return { reader: rules, missing: null };
  try {
    return { reader: await openTrainedReader({ threads, rules }), missing: null };
  } catch (error) {
    if (choice === 'trained' || !(error instanceof AppError) || !NOT_INSTALLED.has(error.code)) throw error;
    return { reader: rules, missing: error };
  }
}
