import { readFileSync, rmSync } from 'node:fs';

import { AppError, canonicalJson, writeFileAtomic } from '../base/index.ts';
import type { OpenAlexEnd, OpenAlexOptions, OpenAlexQuery, OpenAlexState, Work, WorkRecord } from '../works/index.ts';
import { iterateOpenAlex } from '../works/index.ts';

export interface ListingOptions extends Omit<OpenAlexOptions, 'resume'> {
  /** Where it is written down how far the listing came; undefined for one that nobody will continue. */
  readonly statePath: string | undefined;
  readonly tell: (message: string) => void;
  /** Takes the records of a page, together. */
  readonly keep?: (records: readonly WorkRecord[]) => void;
}

/**
 * The works of OpenAlex on a topic. How far the listing came is written down page by page, so that one that was killed, or
 * whose budget is spent for today, goes on from there when the same is asked again. A page is written down when those
 * before it have been taken, and is asked for again as a whole: works that are known already are no new jobs.
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
      // Whoever has enough stops in the middle of a page; what was taken of it is kept all the same.
      keepPage();
    }
    if (end?.kind === 'failed' && resume && pages === 0) {
      // A cursor may have gone stale overnight: the list is read from its beginning instead.
      tell(`cannot resume the listing (${end.message}); starting over`);
      resume = undefined;
      continue;
    }
    finish(end, statePath, tell);
    return;
  }
}

/** Which topic was taken, or that the text was searched for, and how many works there are. */
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

/** The state that was left for the same question; anything else, or nothing readable, means from the beginning. */
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
    // Damaged: what it would have saved is a few pages.
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
