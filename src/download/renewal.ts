import type { Work } from '../works/index.ts';

/** A work that is kept and of which a newer version is wanted, as it waits in the queue. */
export function renewalOf(work: Work): Work & { readonly renewal: true } {
  return { ...work, renewal: true };
}

/** Whether what waits in a queue is such a work. */
export function isRenewal(payload: unknown): boolean {
  return (payload as { readonly renewal?: unknown } | null | undefined)?.renewal === true;
}
