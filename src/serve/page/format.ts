import { duration, plural } from '../../base/text/index.ts';

export { duration };

export function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 10 ? 1 : 0 });
}

/** "1 work", "3 works". */
export function counted(count: number, one: string, many?: string): string {
  return `${number(count)} ${plural(count, one, many)}`;
}

export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${number(bytes / 1_000 ** power)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** A duration below a column of a chart: from a minute on in whole minutes, which are no wider than the column. */
export function tick(seconds: number): string {
  return seconds < 60 ? duration(seconds * 1_000).replace(' ', '\u00A0') : `${Math.round(seconds / 60)}\u00A0min`;
}

/** "12 s left"; "almost done" below one second. */
export function timeLeft(seconds: number | null): string {
  return seconds === null ? '' : seconds < 1 ? 'almost done' : `${duration(seconds * 1_000)} left`;
}

/** 15 Nov 2026, 07:53. */
export function moment(at: string | number | null): string {
  return at === null ? '–' : new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

/** 07:53:20, with the date if it is another day. */
export function clock(at: string): string {
  const [date, now] = [new Date(at), new Date()];
  const time = date.toLocaleTimeString('en-GB');
  return date.toDateString() === now.toDateString() ? time : `${date.toLocaleDateString('en-GB')} ${time}`;
}

/** "3 min ago", "in 20 s". */
export function since(at: string | null): string {
  if (at === null) return '–';
  const ms = Date.now() - Date.parse(at);
  const [value, unit] = duration(Math.abs(ms)).split(' ');
  return ms >= 0 ? `${value} ${unit} ago` : `in ${value} ${unit}`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`;
}

/** all-plans-failed → all plans failed. */
export function words(name: string): string {
  return name.replaceAll(/[-_]/g, ' ');
}

/** BLOCKED_LOGIN → blocked login. */
export function reasonName(code: string): string {
  return words(code).toLowerCase();
}

export const STEPS = {
  works: 'Works processed',
  // Downloaded files and local ones.
  saved: 'Full texts',
  parsed: 'Parsed',
  chunked: 'Chunked',
  embedded: 'Embedded',
} as const;

export const OUTCOMES = [
  ['saved', 'downloaded', 'tone-good'],
  ['local', 'local file', 'tone-accent'],
  ['skipped', 'unavailable', 'tone-mute'],
  ['parked', 'deferred', 'tone-warn'],
  ['failed', 'failed, retryable', 'tone-bad'],
  ['waiting', 'not processed yet', 'tone-mute'],
  ['unreadable', 'unreadable entries', 'tone-mute'],
] as const;

export function outcomeName(outcome: string): string {
  return OUTCOMES.find(([name]) => name === outcome)?.[1] ?? words(outcome);
}

/** A path as one types it in a command. */
export function typed(path = ''): string {
  return /^[\w./\\:~+-]*$/.test(path) ? path : `"${path}"`;
}
