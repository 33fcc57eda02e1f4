import { existsSync } from 'node:fs';

import { readJsonl } from '../base/index.ts';
import { isRecord } from '../store/index.ts';

const BATCH_LINES = 10_000;

/**
 * Lines of a folder's `records.jsonl` that were not noted before, in batches. What a machine said about papers of its user,
 * and about documents that it has parsed, is left out: it names files that are not merged.
 */
export async function* newRecordLines(
  path: string,
  seen: { note(line: string): boolean },
  warn: (message: string) => void,
): AsyncGenerator<readonly string[]> {
  if (!existsSync(path)) return;
  let batch: string[] = [];
  for await (const line of readJsonl(path)) {
    const text = line.kind === 'bad' ? undefined : mergedLine(line.value);
    if (text === undefined) {
      warn(`${path}, line ${line.line}: not a line of records; skipped`);
      continue;
    }
    if (text !== '' && seen.note(text)) batch.push(text);
    if (batch.length < BATCH_LINES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The line as it is written into the merged folder: '' for one that stays behind, undefined for one that is damaged. */
function mergedLine(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { kind, record } = value as { readonly kind?: unknown; readonly record?: unknown };
  switch (kind) {
    case 'record':
    case 'whole':
      // What another folder knows is added to what is known here; it replaces nothing.
      return isRecord(record) ? JSON.stringify({ kind: 'record', record }) : undefined;
    case 'notice':
    case 'arxiv':
    case 'repeats':
      return JSON.stringify(value);
    case 'paper':
    case 'words':
      return '';
    default:
      return undefined;
  }
}
