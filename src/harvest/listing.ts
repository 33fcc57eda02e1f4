import { readFileSync, rmSync } from 'node:fs';

import { AppError, canonicalJson, writeFileAtomic } from '../base/index.ts';
import type { OpenAlexEnd, OpenAlexOptions, OpenAlexQuery, OpenAlexState, Work, WorkRecord } from '../works/index.ts';
import { iterateOpenAlex } from '../works/index.ts';

export interface ListingOptions extends Omit<OpenAlexOptions, 'resume'> {
  /** File with the progress of the listing; undefined if it is not to be resumed. */
  readonly statePath: string | undefined;
  readonly tell: (message: string) => void;
  /** Receives the records of a page. */
  readonly keep?: (records: readonly WorkRecord[]) => void;
}

/**
 * The works of OpenAlex on a topic. Progress is saved page by page, so that a listing that was killed or whose daily
 * budget is spent resumes with the same query. The last page is requested again as a whole: known works are no new jobs.
 */
export async function* listWorks(query: OpenAlexQuery, options: ListingOptions): AsyncGenerator<Work> {
  const { statePath, tell, keep, ...listing } = options;
  let resume = statePath === undefined ? undefined : readState(statePath, query);
  if (resume) tell(`the listing goes on after ${resume.yielded} works that were found before`);
  for (;;) {
    let pages = 0;
    let records: WorkRecord[] = [];
    const keepPage = (): void => {
      if (records.length > 0) keep?.(records);
      records = [];
    };
    let end: OpenAlexEnd | undefined;
    try {
      for await (const event of iterateOpenAlex(query, { ...listing, resume })) {
        if (event.kind === 'work') {
          if (event.record) records.push(event.record);
          yield event.work;
        } else keepPage();
        if (event.kind === 'end') end = event.end;
        if (event.kind === 'page') {
          pages += 1;
          if (pages === 1 && !resume) tell(subjectLine(event.state.subject, event.total));
        }
        const state = event.kind === 'page' ? event.state : event.kind === 'end' ? stateOf(event.end) : null;
        if (statePath !== undefined && state !== null)
          await writeFileAtomic(statePath, `${JSON.stringify({ query: keyOf(query), state })}\n`);
      }
    } finally {
      // A caller may stop in the middle of a page; the records taken so far are stored.
      keepPage();
    }
    if (end?.kind === 'failed' && resume && pages === 0) {
      // A cursor may have expired: start from the beginning.
      tell(`cannot resume the listing (${end.message}); starting over`);
      resume = undefined;
      continue;
    }
    finish(end, statePath, tell);
    return;
  }
}

/** Describes the topic or search and the number of works. */
function subjectLine(subject: OpenAlexState['subject'], total: number | null): string {
  const count = total === null ? 'an unknown number of works' : `${total.toLocaleString('en')} works`;
  if (subject.kind === 'topic') return `topic "${subject.name}" (${subject.id}) of OpenAlex: ${count}`;
  if (subject.kind === 'filter') return `works of OpenAlex by these conditions: ${count}`;
  return `no single topic of OpenAlex is called "${subject.text}", so its words are searched for: ${count}`;
}

function stateOf(end: OpenAlexEnd): OpenAlexState | null {
  return end.kind === 'complete' || end.kind === 'limit' ? null : end.state;
}

function finish(end: OpenAlexEnd | undefined, statePath: string | undefined, tell: (message: string) => void): void {
  switch (end?.kind) {
    case 'complete':
    case 'limit':
      if (statePath !== undefined) rmSync(statePath, { force: true });
      return;
    case 'budget-spent':
    case 'held': {
      const left = end.kind === 'budget-spent' && end.budget ? ` (${end.budget.remainingUsd} USD are left)` : '';
      const at = new Date(end.resumesAt).toISOString();
      tell(`the listing stops here${left}: OpenAlex answers again at ${at}; the same command then goes on`);
      return;
    }
    case 'failed':
      throw new AppError(end.code, end.message, end.hint === null ? {} : { hint: end.hint });
    case undefined:
      return;
  }
}

/** The saved state if it is of the same query; otherwise the listing starts from the beginning. */
function readState(path: string, query: OpenAlexQuery): OpenAlexState | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const left = JSON.parse(text) as { readonly query?: unknown; readonly state?: unknown };
    return left.query === keyOf(query) && isState(left.state) ? left.state : undefined;
  } catch {
    // Damaged: costs a few pages.
    return undefined;
  }
}

function isState(value: unknown): value is OpenAlexState {
  if (value === null || typeof value !== 'object') return false;
  const { subject, at, yielded } = value as Partial<OpenAlexState>;
  return typeof subject === 'object' && typeof yielded === 'number' && (at?.kind === 'cursor' || at?.kind === 'page');
}

function keyOf(query: OpenAlexQuery): string {
  return canonicalJson(JSON.parse(JSON.stringify(query)));
}
