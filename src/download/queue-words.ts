import type { ErrorInfo } from '../base/index.ts';
import type { Work } from '../works/index.ts';
import type { WorkOutcome } from './outcome.ts';
import type { Reason } from './reasons.ts';
import { REASONS } from './reasons.ts';

/** The reason as an error code, `no-plan` → `NO_PLAN`, with its detail. */
export function told({ reason, detail }: { readonly reason: Reason; readonly detail: string | null }): ErrorInfo {
  return { code: reason.toUpperCase().replaceAll('-', '_'), message: detail ?? REASONS[reason].sentence };
}

/** A saved work as shown by `queue list`. */
export function resultOf({ artifact, attempt }: WorkOutcome & { kind: 'saved' }, worker: string): object {
  const { path, bytes, sha256 } = artifact;
  return { path, resolver: attempt.resolver, host: new URL(attempt.finalUrl).host, worker, bytes, sha256 };
}

/** The first known file: its host is requested first, so the queue can start with the busiest host. */
export function likelyUrl({ locations, urls }: Work): string | undefined {
  return locations.find(({ isOpen, pdfUrl }) => isOpen && pdfUrl !== null)?.pdfUrl ?? urls[0];
}

export function codeIs(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
