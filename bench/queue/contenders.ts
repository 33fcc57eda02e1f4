import { bullmq } from './bullmq.ts';
import type { Contender } from './contender.ts';
import { graphile, graphileAhead } from './graphile.ts';
import { liteque } from './liteque.ts';
import { ours, oursNormal, oursPostgres } from './ours.ts';
import { pgBoss } from './pg-boss.ts';
import { plainjob } from './plainjob.ts';
import { rawFull, rawNormal } from './raw.ts';

/** Everybody who may be measured, by name. */
export const CONTENDERS: Readonly<Record<string, Contender>> = Object.fromEntries(
  [ours, oursNormal, rawFull, rawNormal, plainjob, liteque, oursPostgres, pgBoss, graphile, graphileAhead, bullmq].map(
    (each) => [each.name, each],
  ),
);
