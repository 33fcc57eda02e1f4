import type { Fact, Facts } from '../hosts/index.ts';
import type { Caller } from '../http/index.ts';
import { raced, whileWaiting } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';

/** What is known, or why it is not. */
export type SharedAnswer =
  | { readonly kind: 'known'; readonly text: string }
  | Exclude<Lookup<string>, { readonly kind: 'found' }>;

/** The fleet keeps an answer for so long; a process as long as it lives. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Answers that hold for many works, such as who registers the DOIs of a prefix: the machines of a fleet come to the same question at
 * the same time, and one of them asks it.
 */
export class SharedAnswers {
  readonly #facts: Facts | undefined;
  readonly #known = new Map<string, string>();
  readonly #underway = new Map<string, Promise<SharedAnswer>>();

  constructor(facts: Facts | undefined) {
    this.#facts = facts;
  }

  /** The answer under this key; `ask` is not bound to the signal of whoever came first, because others wait for it too. */
  async find(
    key: string,
    ask: () => Promise<Lookup<string>>,
    caller?: Caller,
    signal?: AbortSignal,
  ): Promise<SharedAnswer> {
    const text = this.#known.get(key);
    if (text !== undefined) return { kind: 'known', text };
    const underway = this.#underway.get(key);
    // Whoever only waits gives up its worker: the one that asks may need it, once its turn has come.
    if (underway) return whileWaiting(caller, () => raced(underway, signal));
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
    const fact = await this.#facts?.once(key, find).catch(() => undefined);
    // Nobody to share it with, or the fleet's memory has been away for long: it is found out for this process alone.
    const answer: Lookup<string> | { readonly kind: 'found'; readonly value: string } =
      own ?? (fact ? { kind: 'found', value: fact.text } : await ask());
    if (answer.kind !== 'found') return answer;
    this.#known.set(key, answer.value);
    return { kind: 'known', text: answer.value };
  }
}
