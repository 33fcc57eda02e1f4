import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock } from '../../base/index.ts';
import { ErrorTally, Meter, Percentiles } from './meter.ts';

test('percentiles are within two percent of the exact ones, from microseconds to days', () => {
  const durations = Array.from({ length: 10_000 }, (_, at) => 0.001 * 1.0025 ** at);
  const percentiles = new Percentiles();
  for (const ms of durations.toReversed()) percentiles.add(ms);
  for (const share of [0.01, 0.5, 0.95, 0.99]) {
    const exact = durations[Math.ceil(share * durations.length) - 1] ?? 0;
    assert.ok(Math.abs(percentiles.at(share) / exact - 1) < 0.02, `${share}: ${percentiles.at(share)} for ${exact}`);
  }
});

test('percentiles of no values and of zero are zero', () => {
  const percentiles = new Percentiles();
  assert.equal(percentiles.at(0.5), 0);
  percentiles.add(0);
  assert.equal(percentiles.at(0.5), 0);
});

test('the ten slowest items are listed, slowest first', () => {
  const options = { stageName: 's', total: undefined, clock: systemClock, report: () => undefined };
  const gauges = () => ({ inFlight: 0, queued: 0, waitingForRetry: 0 });
  using meter = new Meter({ ...options, diagnosticsIntervalS: 0, gauges });
  for (let at = 0; at < 1_000; at += 1) meter.measure(`i${(at * 7) % 1_000}`, 0, (at * 7) % 1_000);
  assert.deepEqual(
    meter.outcome(undefined).slowest.map(({ itemId }) => itemId),
    Array.from({ length: 10 }, (_, at) => `i${999 - at}`),
  );
});

test('errors that differ only in names and numbers are counted together, shown by the words of the first', () => {
  const tally = new ErrorTally();
  for (let at = 0; at < 1_500; at += 1)
    tally.add({
      stage: 's',
      itemId: `i${at}`,
      category: 'runtime',
      message: `page ${at} of /x/${at}.pdf`,
      retryable: false,
    });
  tally.add({ stage: 's', itemId: 'x', category: 'network', message: 'HTTP 503', retryable: true });
  assert.equal(tally.first.length, 1_000);
  assert.deepEqual(tally.top(), [
    { category: 'runtime', message: 'page 0 of /x/0.pdf', count: 1_500 },
    { category: 'network', message: 'HTTP 503', count: 1 },
  ]);
});
