import { stripVTControlCharacters } from 'node:util';

import { duration } from '../../base/index.ts';
import type { PlanBucket, Progress, StageOutcome } from '../types.ts';

export function progressLine(progress: Progress): string {
  const { done, total, failed, retried, skipped, itemsPerSecond: perSecond } = progress;
  return [
    `${progress.stageName} ${count(done)}${total === undefined ? '' : `/${count(total)}`}`,
    ...(skipped > 0 ? [`${count(skipped)} skipped`] : []),
    `${perSecond >= 100 ? count(Math.round(perSecond)) : perSecond.toFixed(1)}/s`,
    ...(progress.etaMs === undefined ? [] : [`ETA ${duration(progress.etaMs)}`]),
    `p50 ${duration(progress.execP50Ms)} p95 ${duration(progress.execP95Ms)}`,
    `${count(progress.inFlight)} in flight`,
    ...(retried > 0 ? [`${count(retried)} retries`] : []),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
  ].join(' · ');
}

export function diagnosticsLine(progress: Progress): string {
  return [
    `stage=${progress.stageName}`,
    `elapsed_s=${Math.round(progress.elapsedMs / 1000)}`,
    `done=${progress.done}`,
    ...(progress.total === undefined ? [] : [`total=${progress.total}`]),
    `succeeded=${progress.succeeded}`,
    `skipped=${progress.skipped}`,
    `failed=${progress.failed}`,
    `retries=${progress.retried}`,
    `in_flight=${progress.inFlight}`,
    `queued=${progress.queued}`,
    `waiting_for_retry=${progress.waitingForRetry}`,
    `p50_ms=${progress.execP50Ms.toFixed(1)}`,
    `p95_ms=${progress.execP95Ms.toFixed(1)}`,
    ...(progress.etaMs === undefined ? [] : [`eta_s=${Math.round(progress.etaMs / 1000)}`]),
  ].join(' ');
}

/** What a stage did, in a few lines for people. */
export function summaryText(outcome: StageOutcome): string {
  const { stageName, succeeded, skipped, failed, retried, unfinished, abandoned } = outcome;
  const lines = [
    `${stageName}: ${count(succeeded)} succeeded, ${count(skipped)} skipped, ${count(failed)} failed` +
      `${retried > 0 ? `, ${count(retried)} retries` : ''} in ${duration(outcome.wallMs)}` +
      ` (p50 ${duration(outcome.execP50Ms)}, p95 ${duration(outcome.execP95Ms)})`,
  ];
  if (outcome.cancelled)
    lines.push(`stopped early: ${plain(outcome.stopReason ?? '')}; ${count(unfinished)} items left for the next run`);
  if (abandoned > 0) lines.push(`${count(abandoned)} items ignored their abort and may still be running`);
  const [first] = outcome.slowest;
  if (first && first.durationS >= 0.001)
    lines.push(
      'slowest:',
      ...outcome.slowest.slice(0, 5).map((each) => `  ${duration(each.durationS * 1000)}  ${plain(each.itemId)}`),
    );
  if (outcome.topErrors.length > 0)
    lines.push(
      'errors:',
      ...outcome.topErrors
        .slice(0, 5)
        .map(
          (each) =>
            `  ${count(each.count)} × ${each.category}${each.count > 1 ? ', such as' : ''}: ${plain(each.message)}`,
        ),
    );
  return lines.join('\n');
}

export function planText(stageName: string, buckets: readonly PlanBucket[]): string {
  const total = (action: string): number =>
    buckets.reduce((sum, bucket) => sum + (bucket.action === action ? bucket.items : 0), 0);
  return [
    `${stageName}: ${count(total('run'))} to run, ${count(total('skip'))} to skip`,
    ...buckets.map(
      (bucket) =>
        `  ${bucket.action.padEnd(4)}  ${count(bucket.items).padStart(9)}  ${bucket.reason.padEnd(20)}  ${plain(bucket.examples.join(', '))}${bucket.items > bucket.examples.length ? ', …' : ''}`,
    ),
  ].join('\n');
}

/** Ids and messages come from documents: control characters must not reach the terminal. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, ' ');
}

function count(value: number): string {
  return value.toLocaleString('en');
}
