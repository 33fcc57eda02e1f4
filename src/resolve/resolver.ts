import type { Work } from '../works/index.ts';
import type { Lookups } from './lookups.ts';
import type { Finding } from './plan.ts';
import type { Services } from './services.ts';

/** What a resolver may use. */
export interface ResolveContext {
  /** Asks services, within their limits and with a cache. */
  readonly lookups: Lookups;
  /** Where services are. */
  readonly services: Services;
  /** The user's e-mail address; null if none is set. */
  readonly contact: string | null;
  /** URLs of this work tried before, and the reason of each. */
  readonly attempted: ReadonlyMap<string, string>;
  /** Also search repositories that probably do not have the work. */
  readonly thorough: boolean;
  /** What to do with retracted works; default 'keep'. */
  readonly retracted?: 'keep' | 'skip';
  /** With 'published', manuscripts are tried after all other copies. */
  readonly prefer?: 'any' | 'published';
  /** Called when a resolver is asked; by default nobody is told. */
  readonly asked?: (resolver: string) => void;
  /** Aborted when the work must stop; by default it cannot be. */
  readonly signal?: AbortSignal | undefined;
}

/** A source of plans. The array of resolvers is the plugin system: see the guide on writing one. */
export interface Resolver {
  /** Names it in settings, plans and the manifest. */
  readonly name: string;
  /** Runs after all other plans were tried. */
  readonly isLast?: boolean;
  /** Yields URLs worth trying, and problems that kept it from knowing more. */
  plans(work: Work, context: ResolveContext): AsyncGenerator<Finding>;
}
