import type { Work } from '../works/index.ts';
import type { Lookups } from './lookups.ts';
import type { Finding } from './plan.ts';
import type { Services } from './services.ts';

export interface ResolveContext {
  readonly lookups: Lookups;
  readonly services: Services;
  readonly contact: string | null;
  /** URLs of this work tried before, and the reason of each. */
  readonly attempted: ReadonlyMap<string, string>;
  /** Also search repositories that probably do not have the work. */
  readonly thorough: boolean;
  /** What to do with retracted works; default 'keep'. */
  readonly retracted?: 'keep' | 'skip';
  /** With 'published', manuscripts are tried after all other copies. */
  readonly prefer?: 'any' | 'published';
  readonly asked?: (resolver: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A source of plans. The array of resolvers is the plugin system: see the guide on writing one. */
export interface Resolver {
  readonly name: string;
  /** Runs after all other plans were tried. */
  readonly isLast?: boolean;
  plans(work: Work, context: ResolveContext): AsyncGenerator<Finding>;
}
