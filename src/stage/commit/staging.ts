import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { StageError } from '../stage-error.ts';
import type { WorkItem } from '../types.ts';

/**
 * The item with its outputs standing beside their final names. The suffix carries the run and the attempt, so that
 * two runners, or an attempt and its killed predecessor, never share bytes. `made` has the folders that the run has made
 * so far; one removed under it shows as the item's own error.
 */
export function stageOutputs(item: WorkItem, suffix: string, made: Set<string>): WorkItem {
  const outputs: Record<string, string> = {};
  for (const name in item.outputs) {
    const path = item.outputs[name] ?? '';
    const folder = dirname(path);
    if (!made.has(folder)) {
      mkdirSync(folder, { recursive: true });
      if (made.size > 4_096) made.clear();
      made.add(folder);
    }
    outputs[name] = path + suffix;
  }
  return { ...item, outputs };
}

/** Throws unless every output is a file with something in it. */
export function inspectOutputs(staged: WorkItem, item: WorkItem): void {
  for (const name in staged.outputs) {
    const stats = statSync(staged.outputs[name] ?? '', { throwIfNoEntry: false });
    if (stats?.isFile() && stats.size > 0) continue;
    const fault = !stats ? 'did not write' : stats.isFile() ? 'wrote nothing into' : 'did not write a file as';
    throw new StageError('runtime', `the worker reported success but ${fault} ${item.outputs[name]}`, {
      code: stats?.isFile() ? 'OUTPUT_EMPTY' : 'OUTPUT_MISSING',
    });
  }
}

/** Removes what an attempt left beside the outputs. */
export function discardOutputs(item: WorkItem, suffix: string): void {
  for (const name in item.outputs) {
    try {
      rmSync(item.outputs[name] + suffix, { force: true, recursive: true });
    } catch {
      // What could not be removed carries the run's name and is swept with it; the item's own end matters more.
    }
  }
}
