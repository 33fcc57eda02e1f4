import { z } from 'zod';

import type { Candidate, Screening } from '../../screen/index.ts';
import { CHOICES, PHASES } from '../../screen/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { jsonRoute } from '../http/route.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { runPath, wholeNumber } from './parameters.ts';
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
  const allowed = (id: string): Screening => {
    if (!context.steering.isAllowed)
      throw new Problem(403, 'STEERING_OFF', 'this server only shows things', {
        hint: 'docstokg screen RUN, or docstokg serve --allow-control, takes decisions',
      });
    return runOf(context, id).screening;
  };
  /** Progress, and what to decide about next; `first` comes before it. */
  const answer = async (run: RunWatch, who: string, at: z.output<typeof phase>, more: { readonly limit?: number | undefined; readonly first?: string | undefined } = {}) => {
    const { screening } = run;
    await screening.ready();
    const { limit = 1, first } = more;
    const chosen = first === undefined ? undefined : screening.candidate(first, who);
    const next = screening.next(who, { phase: at, limit }).filter(({ work }) => work !== chosen?.work);
    const conflicts = screening.conflicts(at).slice(0, MOST_SHOWN);
    const value = {
      ...screening.status(),
      conflicts: conflicts.map(({ work, decisions }) => ({ work, title: screening.record(work).title, decisions })),
      next: [...(chosen ? [chosen] : []), ...next].slice(0, limit).map((candidate) => shownAs(run, candidate)),
    };
    return value;
  }; // prettier-ignore
  return [
    jsonRoute({
      path: '/runs/{run}/screening',
      summary: 'Progress of the screening and the next works for a reviewer.',
      pathSchema: runPath,
      querySchema: z.strictObject({
        by,
        phase: z.enum(PHASES).optional().describe('Default title-abstract.'),
        limit: wholeNumber(1, MOST_SHOWN).optional(),
        work: z.string().max(2_048).optional().describe('A work to show first, such as one in conflict.'),
      }),
      schema: shapes.screening,
      value: ({ path, query }) =>
        answer(runOf(context, path.run), query.by, query.phase ?? 'title-abstract', {
          limit: query.limit,
          first: query.work,
        }),
    }),
    jsonRoute({
      path: '/runs/{run}/screening/decide',
      summary: 'Logs a decision, which is on the disk when this answers. Answers like the GET.',
      pathSchema: runPath,
      bodySchema: decided,
      schema: shapes.screening,
      value: ({ path, body }) => {
        allowed(path.run).decide(body);
        return answer(runOf(context, path.run), body.by, body.phase);
      },
    }),
    jsonRoute({
      path: '/runs/{run}/screening/undo',
      summary: 'Undoes the last decision of a reviewer in a phase.',
      pathSchema: runPath,
      bodySchema: z.strictObject({ by, phase }),
      schema: shapes.screening,
      value: ({ path, body }) => {
        const first = allowed(path.run).undo(body.by, body.phase);
        return answer(runOf(context, path.run), body.by, body.phase, { first });
      },
    }),
    jsonRoute({
      path: '/runs/{run}/screening/sample',
      summary: 'Begins a random sample of the undecided works, which says when to stop.',
      pathSchema: runPath,
      bodySchema: z.strictObject({ by }),
      schema: shapes.screening,
      value: ({ path, body }) => {
        allowed(path.run).sample(body.by);
        return answer(runOf(context, path.run), body.by, 'title-abstract');
      },
    }),
    jsonRoute({
      path: '/runs/{run}/screening/protocol',
      summary:
        'Changes question, criteria, reasons, marked words or the number of reviewers: a new version of the protocol.',
      pathSchema: runPath,
      bodySchema: protocol,
      schema: shapes.screening,
      value: ({ path, body }) => {
        const { by: who, ...change } = body;
        const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
        allowed(path.run).setProtocol(given, who);
        return answer(runOf(context, path.run), who, 'title-abstract');
      },
    }),
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
