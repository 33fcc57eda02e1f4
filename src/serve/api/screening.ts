import { z } from 'zod';

import type { Candidate } from '../../screen/index.ts';
import { CHOICES, PHASES } from '../../screen/index.ts';
import type { Route } from '../http/route.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import type { Context } from './context.ts';
import { checkControl, runRoute } from './context.ts';
import type { noQuery, runPath } from './parameters.ts';
import { wholeNumber } from './parameters.ts';
import * as shapes from './shapes/screening.ts';

const by = z.string().trim().min(1).max(100).describe('The reviewer.');
const phase = z.enum(PHASES).default('title-abstract');
const words = z.array(z.string().max(200)).max(200);
const decided = z.strictObject({
  id: z.string().min(1).max(100).optional().describe('Made by the sender: sent again, it is the same decision.'),
  work: z.string().min(1).max(2_048),
  phase,
  decision: z.enum(CHOICES),
  by,
  reason: z.string().max(4_000).optional().describe('Why it is excluded; required for full texts.'),
  note: z.string().max(4_000).optional(),
});
const protocol = z.strictObject({
  by,
  reviewers: z.int().min(1).max(10).optional().describe('How many decide about each work, blind to each other.'),
  question: z.string().max(4_000).optional().describe('The ranking begins with it.'),
  criteria: z.string().max(4_000).optional(),
  reasons: words.optional(),
  highlight: words.optional().describe('Words to mark.'),
});
const MOST_SHOWN = 20;

/** Screening: the next works, decisions, progress. Decisions require `--allow-control`. */
export function screeningRoutes(context: Context): Route[] {
  /** Progress, and the next works to decide about; `first` comes first. */
  const answer = async (
    run: RunWatch,
    who: string,
    at: z.output<typeof phase> = 'title-abstract',
    { limit = 1, first }: { readonly limit?: number | undefined; readonly first?: string | undefined } = {},
  ) => {
    const { screening } = run;
    await screening.ready();
    const chosen = first === undefined ? undefined : screening.candidate(first, who);
    const next = screening.next(who, { phase: at, limit }).filter(({ work }) => work !== chosen?.work);
    const conflicts = screening.conflicts(at).slice(0, MOST_SHOWN);
    return {
      ...screening.status(),
      conflicts: conflicts.map(({ work, decisions }) => ({ work, title: screening.record(work).title, decisions })),
      next: [...(chosen ? [chosen] : []), ...next].slice(0, limit).map((candidate) => shownAs(run, candidate)),
    };
  };
  const change = <B extends z.ZodType>(
    act: string,
    summary: string,
    bodySchema: B,
    value: (run: RunWatch, body: z.output<B>) => unknown,
  ): Route =>
    runRoute<typeof runPath, typeof noQuery, B>(context, {
      path: `/screening/${act}`,
      summary,
      bodySchema,
      schema: shapes.screening,
      value: (run, { body }) => {
        checkControl(context, 'decide, or use docstokg screen');
        return value(run, body);
      },
    });
  return [
    runRoute(context, {
      path: '/screening',
      summary: 'Progress of the screening and the next works for a reviewer.',
      querySchema: z.strictObject({
        by,
        phase: z.enum(PHASES).optional().describe('Default title-abstract.'),
        limit: wholeNumber(1, MOST_SHOWN).optional(),
        work: z.string().max(2_048).optional().describe('A work to show first, such as one in conflict.'),
      }),
      schema: shapes.screening,
      value: (run, { query: { by: who, phase: at, limit, work } }) => answer(run, who, at, { limit, first: work }),
    }),
    change(
      'decide',
      'Logs a decision, which is on the disk when this answers. Answers like the GET.',
      decided,
      (run, body) => {
        run.screening.decide(body);
        return answer(run, body.by, body.phase);
      },
    ),
    change(
      'undo',
      'Undoes the last decision of a reviewer in a phase.',
      z.strictObject({ by, phase }),
      (run, { by: who, phase: at }) => answer(run, who, at, { first: run.screening.undo(who, at) }),
    ),
    change(
      'sample',
      'Begins a random sample of the undecided works, which says when to stop.',
      z.strictObject({ by }),
      (run, { by: who }) => {
        run.screening.sample(who);
        return answer(run, who);
      },
    ),
    change(
      'protocol',
      'Changes question, criteria, reasons, marked words or the number of reviewers: a new version of the protocol.',
      protocol,
      (run, { by: who, ...given }) => {
        const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        run.screening.setProtocol(changed, who);
        return answer(run, who);
      },
    ),
  ];
}

function shownAs({ view }: RunWatch, { work, rank, isSampled, record, decisions }: Candidate) {
  return {
    work,
    rank,
    is_sampled: isSampled,
    title: record.title,
    abstract: record.abstract,
    authors: record.authors.map(({ name }) => name),
    year: record.date?.slice(0, 4) ?? null,
    venue: record.venue,
    doi: record.ids.doi,
    document: view.works.get(work)?.document ?? null,
    decisions,
  };
}
