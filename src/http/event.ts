import type { HostEvent, Waited } from '../hosts/index.ts';

/** Something worth showing or measuring that is not a result. */
export type HttpEvent =
  /** A request goes on the wire after waiting for its turn; no more than `cap` are at that host at once. */
  | {
      readonly kind: 'request-sent';
      readonly host: string;
      readonly waitedMs: number;
      readonly waited: Waited | null;
      readonly cap: number;
    }
  /** It left the wire: with a status, or with the reason why it has none. */
  | {
      readonly kind: 'request-done';
      readonly host: string;
      readonly outcome: string;
      readonly wireBytes: number;
      readonly ms: number;
    }
  /** A server refuses (429, 503) and is rate-limited until then: as long as it said, or as we chose where it said nothing. */
  | { readonly kind: 'wait-asked'; readonly host: string; readonly until: number; readonly said: boolean }
  /** What the authority over hosts tells. */
  | HostEvent;
