/** A document on one of many hosts. */
export interface HostedFile {
  readonly host: number;
  readonly number: number;
}

/** Files by host as Zipf (s = 1) has them: `files` of them on `hosts` hosts, the largest host first. */
export function zipfFiles(files: number, hosts: number): HostedFile[] {
  const weights = Array.from({ length: hosts }, (_, rank) => 1 / (rank + 1));
  const unit = files / weights.reduce((sum, weight) => sum + weight, 0);
  const counts = weights.map((weight) => Math.floor(weight * unit));
  const byRemainder = weights.map((weight, rank) => ({ rank, rest: (weight * unit) % 1 }));
  byRemainder.sort((a, b) => b.rest - a.rest);
  const missing = files - counts.reduce((sum, count) => sum + count, 0);
  for (const { rank } of byRemainder.slice(0, missing)) counts[rank] = (counts[rank] ?? 0) + 1;
  return counts.flatMap((count, host) => Array.from({ length: count }, (_, number) => ({ host, number })));
}

/** The same mixture in every run. */
export function shuffled<T>(list: readonly T[]): T[] {
  const mixed = [...list];
  let state = 20_260_115;
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}
