import { parseHttpDate } from './http-date.ts';
import type { Headers } from './send.ts';

/**
 * The moment a server names in Retry-After, as seconds or as a date (RFC 9110 §10.2.3). A date is measured against the
 * server's own Date, so that a wrong clock on either side does no harm. Undefined for none and for nonsense.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  // Nine digits are thirty years; more is a slip of somebody's keyboard.
  if (/^\d{1,9}$/.test(value)) return now + Number(value) * 1000;
  const at = parseHttpDate(value, now);
  if (at === undefined) return undefined;
  const serverNow = parseHttpDate(headers['date'] ?? '', now) ?? now;
  return now + Math.max(0, at - serverNow);
}
