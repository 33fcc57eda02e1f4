/* oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin */
import { parentPort, workerData } from 'node:worker_threads';

import type { RankedRun } from './background-ranking.ts';
import { Screening } from './screening.ts';

// The thread of BackgroundRanking: each message requests a ranking from the current log.
const { folder, manifests } = workerData as RankedRun;
const screening = Screening.open(folder, { manifests, asItIs: true });
parentPort?.on('message', () => parentPort?.postMessage(screening.train()));
