import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { noQuery, runPath } from './parameters.ts';
import * as shapes from './shapes/course.ts';

/** Where full texts came from, and how long the stages took. */
export function courseRoutes(context: Context): Route[] {
  return [
    route({
      path: '/runs/{run}/sources',
      summary: 'Where full texts came from: by resolver and kind, with failed attempts and hosts that did not deliver.',
      pathSchema: runPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.sources },
      version: ({ path }) => runOf(context, path.run).version,
      handle: ({ path }) => ({ kind: 'json', value: runOf(context, path.run).view.sources() }),
    }),
    route({
      path: '/runs/{run}/stages',
      summary: 'How long each stage took per document, the slowest documents, and failures by category.',
      pathSchema: runPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.stages },
      version: ({ path }) => runOf(context, path.run).version,
      handle: ({ path }) => ({ kind: 'json', value: { items: runOf(context, path.run).view.stages() } }),
    }),
  ];
}
