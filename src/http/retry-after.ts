import { parseHttpDate } from './http-date.ts';
import type { Headers } from './send.ts';

/**
 * When Retry-After ends, given as seconds or a date (RFC 9110 §10.2.3). A date is measured against the server's own
 * Date header, so a wrong clock does no harm. Undefined if missing or invalid.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  // Nine digits are thirty years; more is a mistake.
  if (/^\d{1,9}$/.test(value)) return now + Number(value) * 1000;
  const at = parseHttpDate(value, now);
  if (at === undefined) return undefined;
  const serverNow = parseHttpDate(headers['date'] ?? '', now) ?? now;
  return now + Math.max(0, at - serverNow);
}
