/** What a route answers. */
export type Answer =
  /** Kept and answered again as long as `version` is the same, where there is one. */
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Uint8Array }
  /** A text that is written piece by piece, as fast as it is read, for saving under a name. */
  | { readonly kind: 'pieces'; readonly type: string; readonly name: string; readonly pieces: AsyncIterable<string> }
  /** A file for saving under a name. */
  | { readonly kind: 'file'; readonly type: string; readonly name: string; readonly path: string }
  /** A stream of events; who watches is told from `lastId` on. */
  | { readonly kind: 'watch'; readonly run: string | null; readonly lastId: string | null };
