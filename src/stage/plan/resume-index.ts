import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { JsonlWriter } from '../../base/index.ts';
import type { FileMark } from '../commit/input-identity.ts';
import { LineGroup } from '../record/line-group.ts';
import type { WorkItem } from '../types.ts';

const words = new Float64Array(3);
const halves = new Uint32Array(words.buffer);

/** Marks of the fingerprint and the inputs, with the settings, as one number of 52 bits: any change gives another one. */
export function stateOf(marks: readonly FileMark[], item: WorkItem): number {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (const mark of marks) {
    words.set(mark);
    for (const half of halves) {
      high = Math.imul(high ^ half, 0x9e3779b1);
      low = (Math.imul(low ^ half, 0x5bd1e995) + (low >>> 15)) | 0;
    }
  }
  const settings = item.fingerprint ? item.cfgHash + item.fingerprint.inputSha256 : item.cfgHash;
  for (let at = 0; at < settings.length; at += 1) {
    const unit = settings.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = (Math.imul(low ^ unit, 0x5bd1e995) + (low >>> 15)) | 0;
  }
  high ^= high >>> 15;
  low ^= low >>> 13;
  return (high & 0xfffff) * 2 ** 32 + (low >>> 0);
}

/**
 * Items found satisfied whose rows are all written, each with the state of its files at that time: when they still
 * give the same state, nothing has to be opened, let alone hashed. Only a saving: the file may be deleted.
 */
export class ResumeIndex implements AsyncDisposable {
  readonly #path: string;
  readonly #lines: LineGroup;
  #states: Map<string, number> | undefined;

  constructor(manifestDir: string, stage: string, clock: Clock) {
    this.#path = join(manifestDir, `docparse.${stage}.index.jsonl`);
    this.#lines = new LineGroup(() => JsonlWriter.open(this.#path, { clock, durable: false }));
  }

  has(itemId: string, state: number): boolean {
    this.#states ??= this.#load();
    return this.#states.get(itemId) === state;
  }

  add(itemId: string, state: number): void {
    this.#states?.set(itemId, state);
    this.#lines.add(`${JSON.stringify([itemId, state])}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lines[Symbol.asyncDispose]();
  }

  #load(): Map<string, number> {
    const states = new Map<string, number>();
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch {
      return states; // Not there, or not readable: the fingerprints themselves are.
    }
    for (const line of text.split('\n')) {
      // Few ids need escaping: the other lines are cut, which is faster than parsing.
      const at = line.includes('\\') ? -1 : line.lastIndexOf('",');
      if (at > 0 && line.endsWith(']')) states.set(line.slice(2, at), Number(line.slice(at + 2, -1)));
      else learn(states, line);
    }
    return states;
  }
}

function learn(states: Map<string, number>, line: string): void {
  try {
    const [itemId, state] = JSON.parse(line) as unknown[];
    if (typeof itemId === 'string' && typeof state === 'number') states.set(itemId, state);
  } catch {
    // A torn or damaged line knows nothing; its item is looked at in full.
  }
}
