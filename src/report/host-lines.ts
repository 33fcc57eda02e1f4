import type { ManifestRow } from '../download/index.ts';
import type { HostRow } from '../telemetry/index.ts';
import type { HostLine } from './data.ts';
import type { ReportLimits } from './limits.ts';

const REFUSALS = new Set(['429', '503']);

type Slice = HostLine['slices'][number];
type Hold = HostLine['holds'][number];

interface Gathered {
  requests: number;
  bytes: number;
  most: number;
  cap: number;
  refused: number;
  failed: number;
  waitedMs: number;
  slices: Slice[];
  holds: Hold[];
}

/** Gathers what happened at every host. */
export class HostLines {
  readonly #hosts = new Map<string, Gathered>();
  readonly #limits: ReportLimits;

  constructor(limits: ReportLimits) {
    this.#limits = limits;
  }

  /** A slice of the host log. */
  add(row: HostRow): void {
    const at = Date.parse(row.at);
    const host = this.#of(row.host);
    const ended = Object.entries(row.done);
    const count = (is: (outcome: string) => boolean): number =>
      ended.reduce((sum, [outcome, times]) => sum + (is(outcome) ? times : 0), 0);
    const refused = count((outcome) => REFUSALS.has(outcome));
    const failed = count((outcome) => !REFUSALS.has(outcome) && isFailure(outcome));
    host.requests += row.sent;
    host.bytes += row.bytes;
    host.most = Math.max(host.most, row.most);
    host.cap = Math.max(host.cap, row.cap);
    host.refused += refused;
    host.failed += failed;
    host.waitedMs += row.waited_ms;
    host.slices.push([at, row.ms, row.sent, refused, failed]);
    if (row.asked_until !== null) host.holds.push([at, Date.parse(row.asked_until), 'asked']);
    if (row.held_until !== null) host.holds.push([at, Date.parse(row.held_until), 'failing']);
    if (host.slices.length > this.#limits.slicesPerHost * 2) host.slices = joined(host.slices);
  }

  /** The attempts at files of a work, for runs without a host log. */
  addAttempts({ attempts }: ManifestRow): void {
    for (const attempt of attempts) {
      const host = this.#of(URL.parse(attempt.url)?.host ?? '');
      const status = attempt.status === null ? '' : String(attempt.status);
      const refused = REFUSALS.has(status) ? 1 : 0;
      const failed = refused === 0 && (status === '' || isFailure(status)) ? 1 : 0;
      host.requests += 1;
      host.bytes += attempt.bytes;
      host.refused += refused;
      host.failed += failed;
      host.slices.push([Date.parse(attempt.started_at), 1_000, 1, refused, failed]);
      if (host.slices.length > this.#limits.slicesPerHost * 2) host.slices = joined(host.slices);
    }
  }

  /** The busiest hosts first; `leftOut` counts the rest. */
  lines(): { readonly hosts: HostLine[]; readonly leftOut: number } {
    const sorted = [...this.#hosts].toSorted((a, b) => b[1].requests - a[1].requests || (a[0] < b[0] ? -1 : 1));
    const hosts = sorted.slice(0, this.#limits.hosts).map(([host, gathered]) => ({ host, ...gathered }));
    return { hosts, leftOut: sorted.length - hosts.length };
  }

  #of(name: string): Gathered {
    let host = this.#hosts.get(name);
    if (!host) {
      host = { requests: 0, bytes: 0, most: 0, cap: 0, refused: 0, failed: 0, waitedMs: 0, slices: [], holds: [] };
      this.#hosts.set(name, host);
    }
    return host;
  }
}

/** A server fault, or a request without an answer. A 404 is an answer. */
function isFailure(outcome: string): boolean {
  return /^5\d\d$/.test(outcome) || !/^\d{3}$/.test(outcome);
}

/** Every two neighbours as one. */
function joined(slices: readonly Slice[]): Slice[] {
  const sorted = slices.toSorted((a, b) => a[0] - b[0]);
  const result: Slice[] = [];
  for (let at = 0; at < sorted.length; at += 2) {
    const [first, second] = [sorted[at], sorted[at + 1]];
    if (!first) break;
    if (!second) result.push(first);
    else
      result.push([
        first[0],
        second[0] + second[1] - first[0],
        first[2] + second[2],
        first[3] + second[3],
        first[4] + second[4],
      ]);
  }
  return result;
}
