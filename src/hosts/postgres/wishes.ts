import { isServiceKey } from '../gate.ts';
import type { SharedAllowance, Wish } from './shared-allowance.ts';

/** More keys than this are not asked for at once. */
const MOST_KEYS = 500;

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
    const keys = [...asked].filter((key) => isServiceKey(key) === isService).slice(0, MOST_KEYS);
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
