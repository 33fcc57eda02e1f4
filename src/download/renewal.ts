import type { Work } from '../works/index.ts';

/** A saved work of which a newer version is wanted, as a queue payload. */
export function renewalOf(work: Work): Work & { readonly renewal: true } {
  return { ...work, renewal: true };
}

/** Whether a payload is such a work. */
export function isRenewal(payload: unknown): boolean {
  return (payload as { readonly renewal?: unknown } | null | undefined)?.renewal === true;
}
