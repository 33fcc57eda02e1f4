import type { HostEvent, Waited } from '../hosts/index.ts';

/** Something to show or measure that is not a result. */
export type HttpEvent =
  /** A request is sent; at most `cap` are in flight at that host. */
  | {
      readonly kind: 'request-sent';
      readonly host: string;
      readonly waitedMs: number;
      readonly waited: Waited | null;
      readonly cap: number;
    }
  /** A request ended, with a status or the reason it has none. */
  | {
      readonly kind: 'request-done';
      readonly host: string;
      readonly outcome: string;
      readonly wireBytes: number;
      readonly ms: number;
    }
  /** A server responded 429 or 503 and is rate-limited until then: as long as it said, or by our default. */
  | { readonly kind: 'wait-asked'; readonly host: string; readonly until: number; readonly said: boolean }
  | HostEvent;
