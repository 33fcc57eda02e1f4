import { bullmq } from './bullmq.ts';
import type { Contender } from './contender.ts';
import { graphileSynced, graphileUnsynced } from './graphile.ts';
import { liteque } from './liteque.ts';
import { ours, oursNormal, oursSynced, oursUnsynced } from './ours.ts';
import { pgBossSynced, pgBossUnsynced } from './pg-boss.ts';
import { plainjob } from './plainjob.ts';
import { rawFull, rawNormal } from './raw.ts';

/** Everybody who may be measured, by name. */
export const CONTENDERS: Readonly<Record<string, Contender>> = Object.fromEntries(
  [
    ours,
    oursNormal,
    rawFull,
    rawNormal,
    plainjob,
    liteque,
    bullmq,
    oursSynced,
    oursUnsynced,
    pgBossSynced,
    pgBossUnsynced,
    graphileSynced,
    graphileUnsynced,
  ].map((each) => [each.name, each]),
);
