import type { Pace } from '../allowance.ts';
import { isServiceKey } from '../gate.ts';
import type { SharedAllowance } from './shared-allowance.ts';

/** More keys than this are not asked for at once. */
const MOST_KEYS = 500;

/** What a process asks for at one key. */
export interface Wish {
  readonly key: string;
  readonly pace: Pace;
  readonly turns: number;
  readonly slots: number;
  readonly used: number;
  readonly spaced: boolean;
  /** So many of the turns that were given last are not used, and what the server said would come behind them. */
  readonly unused: number;
  readonly behind: number;
}

/** What it was given. */
export interface Grant {
  /** When the first of its turns is, or the next one would be, by the caller's monotonic clock. */
  readonly firstAt: number;
  /** What comes behind them, as the server says it. */
  readonly behind: number;
  readonly turns: number;
  readonly slots: number;
  readonly contended: boolean;
}

/** What a process draws from at a key, and who is told when that has changed. */
export interface Registered {
  readonly allowance: SharedAllowance;
  readonly changed: () => void;
}

/** What is wanted at the keys that were asked for, at hosts and then at services: the order in which places are taken. */
export function takeWishes(asked: Set<string>, allowances: ReadonlyMap<string, Registered>, now: number): Wish[] {
  const wishes: Wish[] = [];
  let isLeaving = false;
  for (const isService of [false, true]) {
    // What is asked while an answer is on its way is asked behind it.
    const isNext = (key: string): boolean =>
      isServiceKey(key) === isService && allowances.get(key)?.allowance.isPending !== true;
    const keys = [...asked].filter(isNext).slice(0, MOST_KEYS);
    for (const key of keys) asked.delete(key);
    for (const { allowance, changed } of keys.flatMap((key) => allowances.get(key) ?? [])) {
      const { places } = allowance;
      const wish = allowance.wish(now, isLeaving);
      if (!wish) continue;
      wishes.push(wish);
      if (wish.slots >= places) continue;
      // Whoever gives a place back has no use for those at the services behind it, nor for turns, and says so with it.
      isLeaving = true;
      changed();
    }
  }
  return wishes;
}
