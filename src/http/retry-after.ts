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

const IMF = /^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC850 = /^[A-Za-z]{6,9}, (\d{2}-[A-Za-z]{3}-)(\d{2})( \d{2}:\d{2}:\d{2} GMT)$/;
const ASCTIME = /^[A-Za-z]{3} [A-Za-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** An HTTP date in any of its three forms (RFC 9110 §5.6.7), as epoch milliseconds. */
export function parseHttpDate(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  const [, day = '', year, time = ''] = RFC850.exec(trimmed) ?? [];
  let full = '';
  if (IMF.test(trimmed)) full = trimmed;
  else if (ASCTIME.test(trimmed)) full = `${trimmed} GMT`;
  else if (year !== undefined) {
    // A two-digit year more than fifty years ahead is in the past (RFC 9110).
    const thisYear = new Date(now).getUTCFullYear();
    const inCentury = thisYear - (thisYear % 100) + Number(year);
    full = `${day}${inCentury > thisYear + 50 ? inCentury - 100 : inCentury}${time}`;
  }
  const at = Date.parse(full);
  return Number.isNaN(at) ? undefined : at;
}
