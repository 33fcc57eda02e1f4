import { z } from 'zod';

import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { noPath, pageQuery } from './parameters.ts';
import { page } from './shapes/basics.ts';
import * as shapes from './shapes/operating.ts';
import { Problem } from '../http/problem.ts';

export function hostRoutes(context: Context): Route[] {
  const { world } = context;
  return [
    route({
      path: '/hosts',
      summary: 'The limits, requests and state of each host; paused and rate-limited hosts first.',
      pathSchema: noPath,
      querySchema: z.strictObject(pageQuery),
      gives: { kind: 'json', schema: page(shapes.host) },
      version: () => String(world.revision),
      handle: ({ query: { limit = 50, cursor } }) => {
        const from = cursor === undefined || cursor === '' ? 0 : Number(cursor);
        if (!Number.isSafeInteger(from) || from < 0)
          throw new Problem(400, 'USAGE_CURSOR', 'the cursor does not belong to this list');
        const items = world.hosts.slice(from, from + limit);
        const next = from + limit < world.hosts.length ? String(from + limit) : null;
        return { kind: 'json', value: { items, next } };
      },
    }),
  ];
}
