import * as z from 'zod';

import { AppError } from '../base/index.ts';
import { count, fields, text } from '../library/shapes/index.ts';
import { CHOICES, countsText, PHASES } from '../screen/index.ts';
import { candidate, screeningHead } from '../screen/shapes/index.ts';
import type { AskedRun } from './question.ts';
import { oneRun, question, workLine } from './question.ts';

const MOST_SHOWN = 20;
const by = z.string().trim().min(1).max(100).describe('The reviewer: each decision is logged with this name.');
const phase = z.enum(PHASES).default('title-abstract');
const limit = z.int().min(1).max(MOST_SHOWN).describe('Works to show.');
const words = z.array(z.string().max(200)).max(200);
/** All questions here have the same answer. */
const ANSWERS = {
  head: screeningHead.shape,
  list: 'next',
  item: candidate.shape,
  text: 'abstract',
  omitted: ['is_sampled', 'venue', 'doi', 'document', 'decisions'],
  line: ({ work, rank, abstract, title, authors, year }: z.output<typeof candidate>) =>
    `${workLine({ title, authors, year })}\nwork ${work}${rank > 0 ? ` · rank ${rank}` : ''}\n${abstract}`,
} as const;

export const screeningQuestion = question({
  name: 'screening',
  title: 'Screening progress',
  description: 'Shows how far the screening of a corpus is and which works a reviewer should decide about next.',
  input: {
    by,
    phase,
    limit: limit.default(5),
    work: z.string().max(2_048).optional().describe('A work to show first, such as one in conflict.'),
  },
  ...ANSWERS,
  ask: async ({ work, ...asked }, runs) => await progress(oneRun(runs), asked, work),
});

export const decideQuestion = question({
  name: 'decide',
  title: 'Decide about a work',
  description:
    'Logs the decision of a reviewer about one work, which is on the disk when this answers; undo takes the last one back. Answers like screening.',
  input: {
    by,
    phase,
    work: z.string().min(1).max(2_048).optional().describe('Required unless the decision is undo.'),
    decision: z.enum([...CHOICES, 'undo']),
    reason: z.string().max(4_000).optional().describe('Why it is excluded; required for full texts.'),
    note: z.string().max(4_000).optional(),
    id: z.string().min(1).max(100).optional().describe('Made by the sender: sent again, it is the same decision.'),
    limit: limit.default(1),
  },
  ...ANSWERS,
  async ask({ decision, work, limit: most, ...decided }, runs) {
    const run = oneRun(runs);
    const shown = { ...decided, limit: most };
    if (decision === 'undo') return await progress(run, shown, run.screening().undo(decided.by, decided.phase));
    if (work === undefined) throw new AppError('USAGE_WORK', 'no work given', { hint: 'use an id of screening' });
    run.screening().decide({ ...decided, work, decision });
    return await progress(run, shown);
  },
});

const sampleQuestion = question({
  name: 'sample',
  title: 'Begin a random sample',
  description: 'Begins a random sample of the undecided works, which says when to stop.',
  input: { by },
  ...ANSWERS,
  async ask(asked, runs) {
    const run = oneRun(runs);
    run.screening().sample(asked.by);
    return await progress(run, asked);
  },
});

const protocolQuestion = question({
  name: 'protocol',
  title: 'Change the protocol',
  description:
    'Changes question, criteria, reasons, marked words or the number of reviewers: a new version of the protocol.',
  input: {
    by,
    reviewers: z.int().min(1).max(10).optional().describe('How many decide about each work, blind to each other.'),
    question: z.string().max(4_000).optional().describe('The ranking begins with it.'),
    criteria: z.string().max(4_000).optional(),
    reasons: words.optional(),
    highlight: words.optional().describe('Words to mark.'),
  },
  ...ANSWERS,
  async ask({ by: who, ...given }, runs) {
    const run = oneRun(runs);
    run.screening().setProtocol(given, who);
    return await progress(run, { by: who });
  },
});

/** Not a tool of assistants: they decide about what they are shown. */
export const decidedQuestion = question({
  name: 'decided',
  title: 'Decisions of a reviewer',
  description:
    'What a reviewer has decided in a phase, the last decisions first, and after how many decisions each included work was found.',
  input: { by, phase, limit: limit.default(MOST_SHOWN) },
  head: { run: z.string(), decided: count, included_at: z.array(count) },
  list: 'decisions',
  item: {
    ...fields(z.string(), 'work', 'title'),
    decision: z.enum(CHOICES),
    reason: text,
  },
  line: ({ title, decision }) => `${decision} ${title}`,
  async ask({ by: who, phase: at, limit: most }, runs) {
    const run = oneRun(runs);
    const screening = run.screening();
    await screening.settle();
    const made = screening.madeBy(who, at);
    const last = made.slice(-most).toReversed();
    return {
      head: {
        run: run.id,
        decided: made.length,
        included_at: made.flatMap(({ decision }, before) => (decision === 'include' ? [before + 1] : [])),
      },
      summary: `${made.length} decided.`,
      items: last.map((each) => ({ ...each, title: screening.record(each.work).title ?? each.work })),
    };
  },
});

/** Changes of a screening, offered only where control is allowed. */
export const SCREENING_CHANGES = [decideQuestion, sampleQuestion, protocolQuestion];

/** Progress, and the next works to decide about; `chosen` comes first. */
async function progress(
  run: AskedRun,
  asked: { readonly by: string; readonly phase?: z.output<typeof phase>; readonly limit?: number },
  chosen?: string,
) {
  const { by: who, phase: at = 'title-abstract', limit: most = 1 } = asked;
  const screening = run.screening();
  // What was decided is durable before anybody is told.
  await screening.settle();
  await screening.ready();
  const first = chosen === undefined ? undefined : screening.candidate(chosen, who);
  const next = screening.next(who, { phase: at, limit: most }).filter(({ work }) => work !== first?.work);
  const status = screening.status();
  const items = [];
  for (const each of [...(first ? [first] : []), ...next].slice(0, most)) {
    const work = await run.corpus.library.work(each.work);
    items.push({ ...each, document: work?.hasText ? work.document : null });
  }
  return {
    head: {
      run: run.id,
      ...status,
      own: screening.decidedBy(who, at),
      conflicts: screening.conflicts(at).slice(0, MOST_SHOWN),
    },
    summary: `${countsText(status.phases[at])}. ${status.protocol.criteria}`,
    items,
  };
}
