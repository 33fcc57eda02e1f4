import type { Fact, Facts } from '../hosts/index.ts';
import type { Caller } from '../http/index.ts';
import { raced, whileWaiting } from '../http/index.ts';
import type { Lookup } from '../works/index.ts';

/** The answer, or why there is none. */
export type SharedAnswer =
  | { readonly kind: 'known'; readonly text: string }
  | Exclude<Lookup<string>, { readonly kind: 'found' }>;

/** How long a fleet stores an answer; a process stores it while it runs. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Answers valid for many works, such as the registration agency of a DOI prefix. Machines of a fleet need the same
 * answer at the same time; one of them requests it.
 */
export class SharedAnswers {
  readonly #facts: Facts | undefined;
  readonly #known = new Map<string, string>();
  readonly #underway = new Map<string, Promise<SharedAnswer>>();

  constructor(facts: Facts | undefined) {
    this.#facts = facts;
  }

  /** The answer for a key. `ask` ignores the first caller's signal, because others wait too. */
  async find(
    key: string,
    ask: () => Promise<Lookup<string>>,
    caller?: Caller,
    signal?: AbortSignal,
  ): Promise<SharedAnswer> {
    const text = this.#known.get(key);
    if (text !== undefined) return { kind: 'known', text };
    const underway = this.#underway.get(key);
    // A waiting job gives up its worker: the one that asks may need it.
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
    // No fleet, or its database is down: answer for this process alone.
    const answer: Lookup<string> | { readonly kind: 'found'; readonly value: string } =
      own ?? (fact ? { kind: 'found', value: fact.text } : await ask());
    if (answer.kind !== 'found') return answer;
    this.#known.set(key, answer.value);
    return { kind: 'known', text: answer.value };
  }
}
