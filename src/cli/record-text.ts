import { duration } from '../base/index.ts';
import { grouped, plain, table } from './terminal.ts';

/** Fields that are lengths of time. */
const UNIT = /_(seconds|s|ms)$/;
const LONGEST_CELL = 70;
const MOST_LISTED = 20;

/** The JSON of a command for people: fields in two columns, lists as tables. Empty values are left out. */
export function recordText(value: object, now: number, heading = (text: string): string => text): string {
  if (Array.isArray(value)) return listText(value, now);
  const fields: string[][] = [];
  const sections: string[] = [];
  for (const [name, each] of Object.entries(value)) {
    if (isEmpty(each)) continue;
    // Lists of objects, and objects that hold some; counts by name fit into a line.
    const isSection =
      typeof each === 'object' && Object.values(each as object).some((part) => typeof part === 'object');
    if (isSection) sections.push(`${heading(wordsOf(name))}\n${recordText(each as object, now, heading)}`);
    else fields.push([wordsOf(name), cellText(name, each, now)]);
  }
  return [...(fields.length > 0 ? [table(fields)] : []), ...sections].join('\n\n');
}

function listText(rows: readonly unknown[], now: number): string {
  if (rows.length === 0) return 'none';
  if (typeof rows[0] !== 'object') return rows.map(String).map(plain).join('\n');
  const records = rows as readonly Readonly<Record<string, unknown>>[];
  const names = Object.keys(Object.assign({}, ...records) as object);
  const shown = names.filter((name) => records.some((record) => !isEmpty(record[name])));
  const cells = records.map((record) =>
    shown.map((name) => {
      const value = record[name];
      return typeof value === 'number' && !UNIT.test(name) ? value : cellText(name, value, now).slice(0, LONGEST_CELL);
    }),
  );
  return table(cells, shown.map(wordsOf));
}

function cellText(name: string, value: unknown, now: number): string {
  if (isEmpty(value)) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    const [, unit] = UNIT.exec(name) ?? [];
    if (name === 'year') return String(value);
    return unit === undefined ? grouped(value) : duration(unit === 'ms' ? value : value * 1000);
  }
  if (typeof value === 'string') {
    const at = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? Date.parse(value) : undefined;
    if (at === undefined) return plain(value).replaceAll('\n', ' ');
    return at > now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`;
  }
  if (Array.isArray(value)) {
    const more = value.length > MOST_LISTED ? `, and ${grouped(value.length - MOST_LISTED)} more` : '';
    return plain(value.slice(0, MOST_LISTED).map(String).join(', ')) + more;
  }
  const parts = Object.entries(value as object).filter(([, each]) => each !== 0 && !isEmpty(each));
  return parts.map(([each, of]) => `${wordsOf(each)} ${cellText(each, of, now)}`).join(', ');
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** in_flight → in flight, maxWorkers → max workers, left_seconds → left; codes stay. */
function wordsOf(name: string): string {
  if (/^[A-Z_0-9]+$/.test(name)) return name;
  const spaced = name.replaceAll(/(?<=[a-z])[A-Z]/g, (sign) => ` ${sign.toLowerCase()}`);
  return spaced.replace(UNIT, '').replaceAll('_', ' ');
}
