import type { Exchange } from '../server/exchange.ts';
import { keyOf } from '../server/exchange.ts';
import { json } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { secondsToMidnight, SIM_KEYS } from '../server/run-state.ts';

const USD_PER_CREDIT = 0.0001;

/** Budget headers of every response: dollars, and the older credits. */
export function budgetHeaders(exchange: Exchange, cost: number): Record<string, string> {
  const key = keyOf(exchange);
  const limit = exchange.run.limit(key);
  const remaining = exchange.run.remaining(key, exchange.now);
  return {
    'x-ratelimit-limit-usd': String(limit * USD_PER_CREDIT),
    'x-ratelimit-remaining-usd': String(usd(remaining)),
    'x-ratelimit-prepaid-remaining-usd': '0',
    'x-ratelimit-cost-usd': String(usd(cost)),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-credits-used': String(cost),
    'x-ratelimit-onetime-remaining': '0',
    'x-ratelimit-reset': String(secondsToMidnight(exchange.now)),
  };
}

/** Deducts the cost from the budget, or returns a 429 until midnight. */
export function charge(exchange: Exchange, cost: number): Reply | null {
  const key = keyOf(exchange);
  if (exchange.run.spend(key, cost, exchange.now)) return null;
  const remaining = exchange.run.remaining(key, exchange.now);
  const wait = secondsToMidnight(exchange.now);
  return json(
    {
      error: 'Rate limit exceeded',
      message: `Insufficient budget. This request costs $${usd(cost)} but you only have $${usd(remaining)} remaining. Resets at midnight UTC.`,
      retryAfter: wait,
      dailyRemainingUsd: usd(remaining),
      creditsRequired: cost,
      creditsRemaining: remaining,
    },
    429,
    {
      'retry-after': String(wait),
      ...budgetHeaders(exchange, 0),
      'x-ratelimit-cost-required-usd': String(usd(cost)),
    },
  );
}

/** The error for an invalid key; null if the key is valid or absent. */
export function refuseBadKey(exchange: Exchange): Reply | null {
  const key = keyOf(exchange);
  if (key === null || key === SIM_KEYS.openalex) return null;
  return json({ error: 'Invalid or missing API key', message: 'API key not found' }, 401);
}

function usd(credits: number): number {
  return Math.round(credits * USD_PER_CREDIT * 1e6) / 1e6;
}
