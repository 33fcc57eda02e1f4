import { useEffect, useState } from 'preact/hooks';

import { keepHere, keptHere } from '../kept-here.ts';

/** A question that was asked in this browser. */
export interface Asked {
  readonly question: string;
  readonly works: string | null;
  /** How many sentences answered it. */
  readonly sentences: number;
}

const MOST = 20;

/** The questions asked of a run in this browser, latest first, with functions to add one and to forget all. */
export function useAsked(run: string): readonly [readonly Asked[], (asked: Asked) => void, () => void] {
  const name = `docstokg-asked ${run}`;
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  useEffect(() => setAsked(kept(name)), [name]);
  const change = (next: readonly Asked[]): void => {
    setAsked(next);
    keepHere(name, JSON.stringify(next));
  };
  const add = (one: Asked): void => {
    const others = kept(name).filter(({ question, works }) => question !== one.question || works !== one.works);
    change([one, ...others].slice(0, MOST));
  };
  return [asked, add, () => change([])];
}

function kept(name: string): readonly Asked[] {
  try {
    const found: unknown = JSON.parse(keptHere(name) ?? '[]');
    return Array.isArray(found) ? (found as Asked[]).filter(({ question }) => typeof question === 'string') : [];
  } catch {
    return [];
  }
}
