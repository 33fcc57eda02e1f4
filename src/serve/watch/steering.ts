import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What somebody has done to the queue, who it was, and when. */
export interface SteeringAct {
  readonly at: string;
  /** The address they came from, and the name they gave. */
  readonly who: string;
  readonly act: 'pause' | 'resume' | 'retry';
  readonly scope: 'all' | 'host' | 'resolver' | null;
  readonly name: string | null;
  readonly error_code: string | null;
  /** Jobs that went back into the queue, or 1 where a pause began or ended. */
  readonly changed: number;
}

const SHOWN = 200;

/** Keeps what was done: in a file that only grows, and the last of it for showing. */
export class SteeringLog {
  readonly #path: string | undefined;
  readonly #tell: (act: SteeringAct) => void;
  #acts: SteeringAct[] = [];

  constructor(path: string | undefined, tell: (act: SteeringAct) => void) {
    this.#path = path;
    this.#tell = tell;
  }

  /** The newest first. */
  get acts(): readonly SteeringAct[] {
    return this.#acts.toReversed();
  }

  /** Writes an act down before anybody is told that it is done. */
  async add(act: SteeringAct): Promise<void> {
    this.#acts = [...this.#acts.slice(-(SHOWN - 1)), act];
    this.#tell(act);
    if (this.#path === undefined) return;
    await mkdir(dirname(this.#path), { recursive: true });
    await appendFile(this.#path, `${JSON.stringify(act)}\n`);
  }
}
