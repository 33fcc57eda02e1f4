import type { Fact, Facts } from '../hosts/index.ts';
import type { Caller } from '../http/index.ts';
import { raced } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';

/** What is known, or why it is not. */
export type SharedAnswer =
  | { readonly kind: 'known'; readonly text: string }
  | Exclude<Lookup<string>, { readonly kind: 'found' }>;

/** The fleet keeps an answer for so long; a process as long as it lives. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** A fleet that shares what it found out, and whoever asks for it. */
export interface Fleet {
  readonly facts: Facts;
  readonly caller: Caller;
}

/**
 * Answers that hold for many works, such as who registers the DOIs of a prefix: the machines of a fleet come to the same question at
 * the same time, and one of them asks it.
 */
export class SharedAnswers {
  readonly #fleet: Fleet | undefined;
  readonly #known = new Map<string, string>();
  readonly #underway = new Map<string, Promise<SharedAnswer>>();

  constructor(fleet: Fleet | undefined) {
    this.#fleet = fleet;
  }

  /** The answer under this key; `ask` is not bound to the signal of whoever came first, because others wait for it too. */
  async find(key: string, ask: () => Promise<Lookup<string>>, signal?: AbortSignal): Promise<SharedAnswer> {
    const text = this.#known.get(key);
    if (text !== undefined) return { kind: 'known', text };
    const underway = this.#underway.get(key);
    // Whoever only waits gives up its worker: the one that asks may need it, once its turn has come.
    if (underway) return (this.#fleet?.caller.whileWaiting ?? plainly)(() => raced(underway, signal));
    const finding = this.#find(key, ask).finally(() => this.#underway.delete(key));
    this.#underway.set(key, finding);
    return raced(finding, signal);
  }

  async #find(key: string, ask: () => Promise<Lookup<string>>): Promise<SharedAnswer> {
    let own: Lookup<string> | undefined;
    const find = async (): Promise<Fact> => {
      own = await ask();
      if (own.kind !== 'found') throw new Error('not known yet');
      return { text: own.value, forMs: KEPT_MS };
    };
    const fact = await this.#fleet?.facts.once(key, find).catch(() => undefined);
    // Nobody to share it with, or the fleet's memory has been away for long: it is found out for this process alone.
    const answer: Lookup<string> | { readonly kind: 'found'; readonly value: string } =
      own ?? (fact ? { kind: 'found', value: fact.text } : await ask());
    if (answer.kind !== 'found') return answer;
    this.#known.set(key, answer.value);
    return { kind: 'known', text: answer.value };
  }
}

function plainly<T>(wait: () => Promise<T>): Promise<T> {
  return wait();
}
