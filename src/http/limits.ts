/** Limits on what a server may send. */
export interface HttpLimits {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  /** A body slower than this over `floorWindowMs` is refused; 0 allows any speed. */
  readonly floorBytesPerSecond: number;
  readonly floorWindowMs: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaderLines: number;
  readonly maxInformational: number;
  /** Largest body, compressed or decoded, passed to a sink. */
  readonly maxBytes: number;
  /** Largest body held in memory: metadata and pages. */
  readonly maxMemoryBytes: number;
  readonly maxRatio: number;
  readonly maxCodings: number;
  readonly maxRedirects: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  connectMs: 10_000,
  headersMs: 30_000,
  idleMs: 30_000,
  totalMs: 15 * 60_000,
  floorBytesPerSecond: 1_000,
  floorWindowMs: 30_000,
  maxHeaderBytes: 64 * 1024,
  maxHeaderLines: 100,
  maxInformational: 10,
  maxBytes: 200_000_000,
  maxMemoryBytes: 20_000_000,
  maxRatio: 200,
  maxCodings: 2,
  maxRedirects: 10,
};
