/** Something worth showing or measuring that is nobody's result. */
export type HttpEvent =
  /** A request goes on the wire after waiting for its turn. */
  | { readonly kind: 'request-sent'; readonly host: string; readonly waitedMs: number }
  /** It left the wire: with a status, or with the reason why it has none. */
  | {
      readonly kind: 'request-done';
      readonly host: string;
      readonly outcome: string;
      readonly wireBytes: number;
      readonly ms: number;
    }
  /** A failing host is left alone. */
  | { readonly kind: 'host-held'; readonly host: string; readonly until: number };
