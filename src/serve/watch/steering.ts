import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { z } from 'zod';

import type { act } from '../api/shapes/operating.ts';

export type SteeringAct = z.output<typeof act>;

const SHOWN = 200;

/** Log of control actions: an append-only file, and the latest in memory. */
export class SteeringLog {
  readonly #path: string | undefined;
  readonly #tell: (act: SteeringAct) => void;
  #acts: SteeringAct[] = [];

  constructor(path: string | undefined, tell: (act: SteeringAct) => void) {
    this.#path = path;
    this.#tell = tell;
  }

  /** Newest first. */
  get acts(): readonly SteeringAct[] {
    return this.#acts.toReversed();
  }

  /** Writes the action to the log before it is confirmed. */
  async add(act: SteeringAct): Promise<void> {
    this.#acts = [...this.#acts.slice(-(SHOWN - 1)), act];
    this.#tell(act);
    if (this.#path === undefined) return;
    await mkdir(dirname(this.#path), { recursive: true });
    await appendFile(this.#path, `${JSON.stringify(act)}\n`);
  }
}
