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

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const IMF = /^[A-Za-z]{3}, (\d{2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const RFC850 = /^[A-Za-z]{6,9}, (\d{2})-([A-Za-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const ASCTIME = /^[A-Za-z]{3} ([A-Za-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;

/** An HTTP date in any of its three forms (RFC 9110 §5.6.7), as epoch milliseconds. */
export function parseHttpDate(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  let match = IMF.exec(trimmed);
  if (match) return moment([match[3], match[2], match[1], match[4], match[5], match[6]]);
  match = RFC850.exec(trimmed);
  if (match) {
    // A two-digit year more than fifty years ahead is in the past (RFC 9110).
    const century = Math.floor(new Date(now).getUTCFullYear() / 100) * 100;
    let year = century + Number(match[3]);
    if (year > new Date(now).getUTCFullYear() + 50) year -= 100;
    return moment([String(year), match[2], match[1], match[4], match[5], match[6]]);
  }
  match = ASCTIME.exec(trimmed);
  if (match) return moment([match[6], match[1], match[2], match[3], match[4], match[5]]);
  return undefined;
}

function moment(parts: readonly (string | undefined)[]): number | undefined {
  const [year, month = '', day, hour, minute, second] = parts;
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  if (monthIndex === -1 || Number(day) > 31 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) {
    return undefined;
  }
  return Date.UTC(Number(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second));
}
