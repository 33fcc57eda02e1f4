import type { Route } from '../http/route.ts';
import type { Context } from './context.ts';
import { documentRoutes } from './documents.ts';
import { graphRoutes } from './graph.ts';
import { questionRoutes } from './questions.ts';
import { queueRoutes, controlRoutes } from './queue.ts';
import { runRoutes } from './runs.ts';
import { tableRoutes } from './tables.ts';
import { prismaRoutes, workRoutes } from './works.ts';

export function apiRoutes(context: Context): Route[] {
  return [
    ...runRoutes(context),
    ...workRoutes,
    ...prismaRoutes,
    ...documentRoutes,
    ...questionRoutes(context),
    ...tableRoutes(context),
    ...graphRoutes(context),
    ...queueRoutes(context),
    ...controlRoutes(context),
  ];
}
