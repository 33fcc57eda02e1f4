/** 12,345. */
export function number(value: number): string {
  return value.toLocaleString('en');
}

/** "1 work", "3 works". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** 4.2 MB. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** 850 ms, 1.2 s, 3 min 20 s, 2 h 5 min. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60 + 0.5 / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds) % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** 15 Nov 2026, 07:53. */
export function moment(at: number): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

/** 31 %. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`;
}

/** all-plans-failed → all plans failed. */
export function words(name: string): string {
  return name.replaceAll(/[-_]/g, ' ');
}
