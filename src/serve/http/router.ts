import type { Route } from './route.ts';

interface Segment {
  /** The name of a parameter; null for a word that stands there. */
  readonly name: string | null;
  readonly text: string;
}

/** A route with the values of its path. */
export interface Found {
  readonly route: Route;
  readonly values: Readonly<Record<string, string>>;
}

/** Finds the route of a path. Segments are compared one by one: none of them ever becomes part of a file's path. */
export class Router {
  readonly #byLength = new Map<number, { readonly route: Route; readonly segments: readonly Segment[] }[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const segments = route.path.split('/').slice(1).map(segmentOf);
      const list = this.#byLength.get(segments.length) ?? [];
      list.push({ route, segments });
      // Words before parameters: `works/facets` is not the work named facets.
      list.sort((a, b) => parameters(a.segments) - parameters(b.segments));
      this.#byLength.set(segments.length, list);
    }
  }

  /** The route, or the methods that the path would take, or nothing. */
  find(method: string, segments: readonly string[]): Found | { readonly allowed: readonly string[] } | undefined {
    const allowed: string[] = [];
    for (const { route, segments: wanted } of this.#byLength.get(segments.length) ?? []) {
      const values = match(wanted, segments);
      if (!values) continue;
      if (route.method === method) return { route, values };
      allowed.push(route.method);
    }
    return allowed.length === 0 ? undefined : { allowed };
  }
}

function segmentOf(text: string): Segment {
  const [, name = null, suffix = ''] = /^\{(\w+)\}(.*)$/.exec(text) ?? [];
  return name === null ? { name, text } : { name, text: suffix };
}

function parameters(segments: readonly Segment[]): number {
  return segments.filter(({ name }) => name !== null).length;
}

function match(wanted: readonly Segment[], segments: readonly string[]): Record<string, string> | undefined {
  const values: Record<string, string> = {};
  for (const [at, { name, text }] of wanted.entries()) {
    const segment = segments[at] ?? '';
    if (name === null) {
      if (segment !== text) return undefined;
      continue;
    }
    if (!segment.endsWith(text) || segment.length <= text.length) return undefined;
    values[name] = segment.slice(0, segment.length - text.length);
  }
  return values;
}
