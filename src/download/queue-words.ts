import type { ErrorInfo } from '../base/index.ts';
import type { Work } from '../works/index.ts';
import type { WorkOutcome } from './outcome.ts';
import type { Reason } from './reasons.ts';
import { REASONS } from './reasons.ts';

/** The reason as codes are written, `no-plan` → `NO_PLAN`, and what there is to say. */
export function told({ reason, detail }: { readonly reason: Reason; readonly detail: string | null }): ErrorInfo {
  return { code: reason.toUpperCase().replaceAll('-', '_'), message: detail ?? REASONS[reason].sentence };
}

/** What a saved work left behind, as `queue list` tells it. */
export function resultOf({ artifact, attempt }: WorkOutcome & { kind: 'saved' }, worker: string): object {
  const { path, bytes, sha256 } = artifact;
  return { path, resolver: attempt.resolver, host: new URL(attempt.finalUrl).host, worker, bytes, sha256 };
}

/** The first file that is known of: its host is asked first, so the queue can begin with the host that has most to give. */
export function likelyUrl({ locations, urls }: Work): string | undefined {
  return locations.find(({ isOpen, pdfUrl }) => isOpen && pdfUrl !== null)?.pdfUrl ?? urls[0];
}

/** True for an error with that code. */
export function codeIs(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
