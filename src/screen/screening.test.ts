import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { madeReview } from '../../test/fixtures/made-review.ts';
import { writeReviewRun } from '../../test/fixtures/review-run.ts';
import { CorpusWorks, prismaSvg } from '../library/index.ts';
import { openCorpus } from '../corpus/index.ts';
import type { Work, WorkRecord } from '../works/index.ts';
import { emptyRecord, NO_IDS } from '../works/index.ts';
import { addRecords, DECISION_FORMATS, exportDecisions, importDecisions } from './exchange.ts';
import { agreementOf, Screening } from './screening.ts';

const review = madeReview(120, 12, 3);
const isIncluded = new Map(review.map(({ id, included }) => [id, included]));

async function reviewFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'screen-'));
  writeReviewRun(folder.path, review);
  return { path: folder.path, [Symbol.asyncDispose]: () => folder.remove() };
}

const lines = (folder: string): string[] => readFileSync(join(folder, 'decisions.jsonl'), 'utf8').trim().split('\n');

test('a complete review: ranked reading, a random sample, a recall promise, and a flow diagram', async () => {
  await using folder = await reviewFolder();
  {
    using screening = Screening.open(folder.path);
    screening.setProtocol({ question: 'recovery of coral reefs after bleaching' }, 'ada');
    while (!screening.status().isTimeToSample) {
      const [next] = screening.next('ada');
      assert.ok(next);
      screening.decide({ work: next.work, decision: isIncluded.get(next.work) === true ? 'include' : 'exclude', by: 'ada' }); // prettier-ignore
    }
    const before = screening.status().phases['title-abstract'];
    assert.ok(before.included >= 10, `${before.included} of 12 found in ranked reading`);
    screening.sample('ada');
    assert.equal(screening.next('ada')[0]?.is_sampled, true);
    for (let at = 0; at < 120 && screening.status().sample?.isReached !== true; at += 1) {
      const [next] = screening.next('ada');
      assert.ok(next);
      screening.decide({ work: next.work, decision: isIncluded.get(next.work) === true ? 'include' : 'exclude', by: 'ada' }); // prettier-ignore
    }
    const { sample, phases } = screening.status();
    assert.ok(sample?.isReached);
    assert.ok(phases['title-abstract'].included >= 0.95 * 12);
    const full = screening.next('ada', { phase: 'full-text', limit: 100 });
    assert.equal(full.length, phases['title-abstract'].included);
    for (const [at, { work }] of full.entries())
      screening.decide({ work, phase: 'full-text', by: 'ada', ...(at < 3 ? { decision: 'exclude', reason: at < 2 ? 'wrong design' : 'no outcome' } : { decision: 'include' }) }); // prettier-ignore
  }
  await using corpus = await openCorpus(folder.path);
  const counts = JSON.parse((await Array.fromAsync(corpus.export({ format: 'prisma' }))).join('')) as Record<string, unknown>; // prettier-ignore
  assert.equal(counts['identified'], 120);
  assert.deepEqual(counts['excluded_by_full_text_reasons'], { 'wrong design': 2, 'no outcome': 1 });
  assert.equal(counts['included'], Number(counts['screened']) - Number(counts['excluded']) - 3);
  // Each stage of the flow has what the stage before leaves.
  assert.equal(Number(counts['screened']) + Number(counts['not_screened']), 120);
  assert.equal(counts['sought'], Number(counts['screened']) - Number(counts['excluded']));
  assert.deepEqual([counts['not_retrieved'], counts['retrieved']], [0, counts['sought']]);
  using works = new CorpusWorks({ folder: folder.path });
  works.store.ingest();
  assert.equal(works.table.page({ label: 'included' }).total, counts['included']);
  assert.equal(works.table.page({ label: 'included,excluded' }).total, counts['screened']);
  assert.equal(works.table.page({ label: 'none' }).total, 120 - Number(counts['screened']));
});

test('the flow says which works have decisions that do not count yet', async () => {
  await using folder = await reviewFolder();
  {
    using screening = Screening.open(folder.path);
    screening.setProtocol({ reviewers: 2 }, 'ada');
    const [waiting = '', unsure = '', disputed = '', agreed = ''] = screening.works;
    const decisions = { [waiting]: ['include'], [unsure]: ['maybe', 'maybe'], [disputed]: ['include', 'exclude'], [agreed]: ['include', 'include'] } as const; // prettier-ignore
    for (const [work, both] of Object.entries(decisions))
      for (const [at, decision] of both.entries()) screening.decide({ work, decision, by: ['ada', 'bo'][at] ?? '' });
    screening.decide({ work: agreed, phase: 'full-text', decision: 'include', by: 'bo' });
  }
  await using corpus = await openCorpus(folder.path);
  using view = corpus.view();
  await view.refresh();
  const { prisma } = view.account();
  assert.deepEqual([prisma.screened, prisma.assessed], [1, 0]);
  assert.deepEqual(prisma.not_screened_unsettled, { waiting: 1, in_conflict: 1, unsure: 1 });
  assert.deepEqual(prisma.not_assessed_unsettled, { waiting: 1, in_conflict: 0, unsure: 0 });
  assert.match(prismaSvg(prisma), /– waiting for another decision \(n = 1\)/);
});

test('a decision is logged once with reviewer, time, phase, criteria and rank; an undo is a line of the log', async () => {
  await using folder = await reviewFolder();
  using screening = Screening.open(folder.path, { clock: { ...(await import('../base/index.ts')).systemClock, now: () => 86_400_000 } }); // prettier-ignore
  screening.setProtocol({ criteria: 'corals only', reasons: ['not corals'] }, 'ada');
  const [next] = screening.next('ada');
  assert.ok(next);
  const decided = { id: 'one', work: next.work, decision: 'exclude', by: 'ada', reason: 'not corals', note: 'see table 2' } as const; // prettier-ignore
  screening.decide(decided);
  screening.decide(decided);
  assert.deepEqual(lines(folder.path).slice(1).map((line) => JSON.parse(line) as object), [
    { kind: 'screened', ...decided, phase: 'title-abstract', at: '1970-01-02T00:00:00.000Z', criteria: 1, rank: 1 },
  ]); // prettier-ignore
  assert.equal(screening.verdict(next.work), 'exclude');
  assert.equal(screening.undo('bo'), undefined);
  assert.equal(screening.undo('ada'), next.work);
  assert.equal(screening.verdict(next.work), null);
  assert.equal(lines(folder.path).length, 3);
  assert.equal(screening.next('ada')[0]?.work, next.work);
});

test('undoing a changed decision restores the previous one', async () => {
  await using folder = await reviewFolder();
  using screening = Screening.open(folder.path);
  screening.decide({ work: 'W1', decision: 'include', by: 'ada' });
  screening.decide({ work: 'W1', decision: 'exclude', by: 'ada' });
  assert.equal(screening.verdict('W1'), 'exclude');
  screening.undo('ada');
  assert.equal(screening.verdict('W1'), 'include');
});

test('a work of the random sample that a reviewer is unsure about counts as found, so that less is promised', async () => {
  const promised = async (decision: 'exclude' | 'maybe'): Promise<readonly [found: number, promise: number]> => {
    await using folder = await reviewFolder();
    using screening = Screening.open(folder.path);
    for (const { id, included } of review.slice(0, 60))
      screening.decide({ work: id, decision: included ? 'include' : 'exclude', by: 'ada' });
    screening.sample('ada');
    for (let at = 0; at < 20; at += 1) {
      const [next] = screening.next('ada');
      assert.ok(next?.is_sampled);
      screening.decide({ work: next.work, decision: at < 2 ? decision : 'exclude', by: 'ada' });
    }
    const { sample } = screening.status();
    assert.ok(sample);
    return [sample.found, sample.recallAtLeast];
  };
  const [sure, unsure] = [await promised('exclude'), await promised('maybe')];
  assert.deepEqual([sure[0], unsure[0]], [0, 2]);
  assert.ok(unsure[1] < sure[1], `${unsure[1]} is less than ${sure[1]}`);
});

test('two reviewers are blind to each other, conflicts are listed, and a third decision settles them', async () => {
  await using folder = await reviewFolder();
  using ada = Screening.open(folder.path);
  ada.setProtocol({ reviewers: 2 }, 'ada');
  using bo = Screening.open(folder.path);
  ada.decide({ work: 'W1', decision: 'include', by: 'ada', note: 'clear' });
  ada.decide({ work: 'W2', decision: 'include', by: 'ada' });
  ada.decide({ work: 'W3', decision: 'exclude', by: 'ada' });
  assert.deepEqual(bo.candidate('W1', 'bo')?.decisions, []);
  assert.equal(bo.verdict('W1'), null);
  bo.decide({ work: 'W1', decision: 'include', by: 'bo' });
  bo.decide({ work: 'W2', decision: 'exclude', by: 'bo' });
  bo.decide({ work: 'W3', decision: 'exclude', by: 'bo' });
  assert.equal(bo.candidate('W1', 'bo')?.decisions.length, 2);
  assert.deepEqual(ada.conflicts().map(({ work, decisions }) => [work, decisions.length]), [['W2', 2]]); // prettier-ignore
  assert.deepEqual(['W1', 'W2', 'W3'].map((work) => ada.verdict(work)), ['include', 'conflict', 'exclude']); // prettier-ignore
  const { agreement } = ada.status();
  assert.equal(agreement?.works, 3);
  assert.ok(Math.abs((agreement?.kappa ?? 0) - 0.4) < 1e-9);
  assert.equal(ada.next('cy', { limit: 200 }).some(({ work }) => work === 'W2'), true); // prettier-ignore
  assert.equal(ada.next('ada', { limit: 200 }).some(({ work }) => work === 'W2'), false); // prettier-ignore
  ada.decide({ work: 'W2', decision: 'include', by: 'cy' });
  assert.equal(bo.verdict('W2'), 'include');
  // A third decision changes nothing where two agree.
  ada.decide({ work: 'W1', decision: 'exclude', by: 'cy' });
  assert.equal(bo.verdict('W1'), 'include');
  // A reviewer sees the decisions of others only after all have decided.
  ada.decide({ work: 'W5', decision: 'include', by: 'ada' });
  assert.deepEqual(ada.candidate('W5', 'ada')?.decisions.map(({ by }) => by), ['ada']); // prettier-ignore
  assert.deepEqual(ada.candidate('W5', 'cy')?.decisions, []);
  assert.equal(ada.status().phases['title-abstract'].conflicts, 0);
});

test('reading may not stop while reviewers disagree about a work', async () => {
  await using folder = await reviewFolder();
  using screening = Screening.open(folder.path);
  screening.setProtocol({ reviewers: 2 }, 'ada');
  const works = screening.next('ada', { limit: 200 }).map(({ work }) => work);
  for (const by of ['ada', 'bo'])
    for (const work of works)
      screening.decide({ work, decision: work === 'W2' && by === 'ada' ? 'include' : 'exclude', by });
  screening.sample('ada');
  const { sample } = screening.status();
  assert.deepEqual([sample?.population, sample?.stillToRead, sample?.isReached], [0, 0, false]);
  screening.decide({ work: 'W2', decision: 'include', by: 'cy' });
  assert.equal(screening.status().sample?.isReached, true);
});

test('a work that a reviewer was unsure about is offered again when nothing else is left', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-'));
  writeReviewRun(folder.path, review.slice(0, 4));
  using screening = Screening.open(folder.path);
  const [first] = screening.next('ada');
  assert.ok(first);
  screening.decide({ work: first.work, decision: 'maybe', by: 'ada' });
  for (let at = 0; at < 3; at += 1) {
    const [next] = screening.next('ada');
    assert.ok(next);
    assert.notEqual(next.work, first.work);
    screening.decide({ work: next.work, decision: 'exclude', by: 'ada' });
  }
  assert.equal(screening.next('ada')[0]?.work, first.work);
  screening.decide({ work: first.work, decision: 'include', by: 'ada' });
  assert.deepEqual(screening.next('ada'), []);
  // Undo removes the last decision of the given phase.
  screening.decide({ work: first.work, phase: 'full-text', decision: 'include', by: 'ada' });
  assert.equal(screening.undo('ada', 'title-abstract'), first.work);
  assert.equal(screening.decisionOf(first.work, 'ada', 'full-text'), 'include');
  assert.equal(screening.decisionOf(first.work, 'ada', 'title-abstract'), 'maybe');
});

test('the background ranking equals that of the foreground, and learns from decisions', async () => {
  await using folder = await reviewFolder();
  using here = Screening.open(folder.path);
  using there = Screening.open(folder.path, { inBackground: true });
  here.setProtocol({ question: 'recovery of coral reefs after bleaching' }, 'ada');
  const order = (screening: Screening): string[] => screening.next('ada', { limit: 200 }).map(({ work }) => work);
  await there.ready();
  const before = order(there);
  assert.deepEqual(before, order(here));
  const decided = review.slice(0, 40);
  for (const { id, included } of decided)
    there.decide({ work: id, decision: included ? 'include' : 'exclude', by: 'ada' });
  const rest = before.filter((work) => !decided.some(({ id }) => id === work));
  // A ranking in progress may not have all of them.
  while (order(there).every((work, at) => work === rest[at])) await setImmediate();
  assert.deepEqual(order(there).toSorted(), rest.toSorted());
});

test('list entries for the same work are duplicates in the flow, however often a list is added', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-'));
  const run = join(folder.path, 'run');
  const ris = (...dois: readonly string[]): string =>
    dois.map((doi) => `TY  - JOUR\nTI  - On ${doi}\nAB  - About ${doi}\nDO  - 10.5555/${doi}\nER  - \n`).join('');
  writeFileSync(join(folder.path, 'a.ris'), ris('one', 'two', 'two') + 'TY  - JOUR\nAB  - nothing else\nER  - \n');
  writeFileSync(join(folder.path, 'b.ris'), ris('two', 'three'));
  const [a, b] = [join(folder.path, 'a.ris'), join(folder.path, 'b.ris')];
  using screening = Screening.open(run);
  const added = await addRecords(screening, [a], { now: '2026-01-01T00:00:00.000Z' });
  assert.deepEqual([added.entries, added.unreadable.map(({ line }) => line)], [4, [16]]);
  await addRecords(screening, [b], { now: '2026-01-01T00:00:00.000Z' });
  await addRecords(screening, [a, b], { now: '2026-01-01T00:00:00.000Z' });
  assert.equal(screening.works.length, 3);
  await using corpus = await openCorpus(run);
  const flow = JSON.parse((await Array.fromAsync(corpus.export({ format: 'prisma' }))).join('')) as Record<string, unknown>; // prettier-ignore
  assert.deepEqual(
    [flow['identified'], flow['removed_before_screening']],
    [5, { unreadable_entries: 0, duplicates: 2 }],
  );
});

test('works that a list gives by an id alone are looked up, and are one with the same works of other lists', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-'));
  const [ids, ris] = [join(folder.path, 'ids.txt'), join(folder.path, 'list.ris')];
  writeFileSync(ids, '31000001\n31000002\n10.5555/two\n31000003\n');
  writeFileSync(ris, 'TY  - JOUR\nTI  - On one\nDO  - 10.5555/one\nER  - \n');
  const known = new Map([
    ['31000001', 'one'],
    ['31000002', 'two'],
  ]);
  const asked: string[] = [];
  const ask = async ({ id, ids: given }: Work): Promise<WorkRecord | undefined> => {
    asked.push(id);
    const name = known.get(given.pmid ?? '') ?? given.doi?.slice(8);
    if (name === undefined) return undefined;
    const found = { ...NO_IDS, openalex: `W${name}`, doi: `10.5555/${name}` };
    return { ...emptyRecord(`W${name}`, found), title: `On ${name}` };
  };
  using screening = Screening.open(join(folder.path, 'run'));
  for (let times = 0; times < 2; times += 1) {
    await addRecords(screening, [ris, ids], { now: '2026-01-01T00:00:00.000Z', ask });
    const titles = new Set(screening.works.map((work) => screening.record(work).title));
    assert.deepEqual([screening.works.length, titles], [3, new Set(['On one', 'On two', null])]);
  }
  assert.deepEqual(asked.filter((id) => id === 'pmid:31000001').length, 1, 'what is known is not asked again');
  await using corpus = await openCorpus(join(folder.path, 'run'));
  const flow = JSON.parse((await Array.fromAsync(corpus.export({ format: 'prisma' }))).join('')) as Record<string, unknown>; // prettier-ignore
  assert.deepEqual(
    [flow['identified'], flow['removed_before_screening']],
    [5, { unreadable_entries: 0, duplicates: 2 }],
  );
});

test('kappa is 0 for agreement by chance and 1 for full agreement', () => {
  const pair = (a: 'include' | 'exclude', b: 'include' | 'exclude') =>
    [{ by: 'a', decision: a }, { by: 'b', decision: b }].map((each) => ({ ...each, phase: 'title-abstract' as const, reason: null })); // prettier-ignore
  const chance = [pair('include', 'include'), pair('include', 'exclude'), pair('exclude', 'include'), pair('exclude', 'exclude')]; // prettier-ignore
  assert.deepEqual(agreementOf(chance), { works: 4, agreed: 0.5, kappa: 0 });
  assert.equal(agreementOf([pair('include', 'include'), pair('exclude', 'exclude')])?.kappa, 1);
  assert.equal(agreementOf([]), null);
});

test('a decision without a reviewer, about an unknown work, or without its reason is refused and not logged', async () => {
  await using folder = await reviewFolder();
  using screening = Screening.open(folder.path);
  const code = (given: object, wanted: string): void =>
    assert.throws(() => screening.decide({ work: 'W1', decision: 'include', by: 'ada', ...given }), { code: wanted });
  code({ by: '  ' }, 'USAGE_REVIEWER');
  code({ work: 'W999' }, 'USAGE_WORK');
  code({ decision: 'perhaps' }, 'USAGE_DECISION');
  code({ phase: 'full-text', decision: 'exclude' }, 'USAGE_REASON');
  assert.throws(() => screening.setProtocol({ reviewers: 0 }, 'ada'), { code: 'USAGE_REVIEWERS' });
  assert.equal(screening.status().phases['title-abstract'].undecided, 120);
});

test('damaged and foreign lines of the log are skipped', async () => {
  await using folder = await reviewFolder();
  const bad = [
    { kind: 'screened', id: 1, work: 'W1', phase: 'title-abstract', decision: 'include', by: 'ada' },
    { kind: 'screened', id: 'a', work: 'W1', phase: 'title-abstract', decision: 'perhaps', by: 'ada' },
    { kind: 'screened', id: 'b', work: {}, phase: 'full-text', decision: 'include', by: 'ada' },
    { kind: 'undone', of: {}, work: 'W1' },
    { kind: 'protocol', version: 'x' },
    { kind: 'protocol', version: 1, reviewers: -5, reasons: 'x', highlight: [1, 'reef'] },
    { kind: 'sample', seed: 5 },
  ];
  appendFileSync(join(folder.path, 'decisions.jsonl'), bad.map((line) => `${JSON.stringify(line)}\n`).join(''));
  using screening = Screening.open(folder.path);
  assert.deepEqual(screening.protocol, { version: 1, reviewers: 1, question: '', criteria: '', reasons: [], highlight: ['reef'] }); // prettier-ignore
  assert.equal(screening.verdict('W1'), null);
});

test('works added later are ranked by the same decisions and offered', async () => {
  await using folder = await reviewFolder();
  using screening = Screening.open(folder.path);
  for (const { id, included } of review.slice(0, 60))
    screening.decide({ work: id, decision: included ? 'include' : 'exclude', by: 'ada' });
  const topic = 'coral bleaching recovery heat stress reef symbiont survival';
  writeReviewRun(folder.path, [
    { id: 'W900', title: topic, abstract: `${topic} ${topic}`, references: [], included: true },
  ]);
  assert.ok(screening.next('ada', { limit: 10 }).some(({ work }) => work === 'W900'));
});

for (const format of DECISION_FORMATS)
  test(`${format}: a round trip keeps every decision`, async () => {
    await using folder = await reviewFolder();
    const file = join(folder.path, `out.${format === 'decisions-ris' ? 'ris' : 'csv'}`);
    const before = ((): object[] => {
      using screening = Screening.open(folder.path);
      screening.setProtocol({ reviewers: 2 }, 'ada');
      screening.decide({ work: 'W1', decision: 'include', by: 'ada' });
      screening.decide({ work: 'W1', decision: 'include', by: 'bo', note: '=1+1, "quoted"\nin two lines' });
      screening.decide({ work: 'W2', decision: 'exclude', by: 'ada', reason: 'wrong population, too old' });
      screening.decide({ work: 'W2', decision: 'maybe', by: 'bo' });
      screening.decide({ work: 'W1', decision: 'exclude', by: 'ada', phase: 'full-text', reason: 'no outcome' });
      writeFileSync(file, [...exportDecisions(screening, format)].join(''));
      return [...screening.all()];
    })();
    await using other = await reviewFolder();
    using screening = Screening.open(other.path);
    screening.setProtocol({ reviewers: 2 }, 'ada');
    screening.setProtocol({ criteria: 'another version' }, 'ada');
    const read = await importDecisions(screening, file);
    assert.deepEqual(read.unknown, []);
    const sorted = (all: Iterable<object>): string[] => Array.from(all, (each) => JSON.stringify(each)).sort();
    assert.deepEqual(sorted(screening.all()), sorted(before));
    // Importing it again changes nothing.
    await importDecisions(screening, file);
    assert.equal([...screening.all()].length, 5);
  });

test('imported decisions of several reviewers count as theirs: where they disagree nothing is decided', async () => {
  await using folder = await reviewFolder();
  const file = join(folder.path, 'rayyan.csv');
  const said = (ada: string, bo: string): string => `"RAYYAN-INCLUSION: {""Ada""=>""${ada}"", ""Bo""=>""${bo}""}"`;
  writeFileSync(
    file,
    `record_id,title,notes\nW1,a,${said('Included', 'Excluded')}\nW2,b,${said('Included', 'Included')}\nW3,c,${said('Excluded', 'Excluded')}\n`,
  );
  using screening = Screening.open(folder.path);
  await importDecisions(screening, file);
  assert.equal(screening.protocol.reviewers, 2);
  assert.deepEqual(
    ['W1', 'W2', 'W3'].map((work) => screening.verdict(work)),
    ['conflict', 'include', 'exclude'],
  );
  assert.deepEqual(
    screening.conflicts().map(({ work }) => work),
    ['W1'],
  );
});

test('files written by ASReview, Rayyan and Covidence are imported', async () => {
  await using folder = await reviewFolder();
  using screening = Screening.open(folder.path);
  const [first, second, third] = review;
  assert.ok(first && second && third);
  const file = join(folder.path, 'in.csv');
  writeFileSync(file, `record_id,title,asreview_label,asreview_time,asreview_note\n,${first.title},1,,good\n,${second.title},0,,\n,${third.title},,,\n`); // prettier-ignore
  const asreview = await importDecisions(screening, file);
  assert.deepEqual([asreview.included, asreview.excluded, asreview.undecided], [1, 1, 1]);
  assert.equal([...screening.all()][0]?.note, 'good');
  const ris = join(folder.path, 'rayyan.ris');
  writeFileSync(ris, `TY  - JOUR\nTI  - ${third.title}\nN1  - RAYYAN-INCLUSION: {"Ada"=>"Excluded"} | RAYYAN-EXCLUSION-REASONS: wrong design\nER  - \n`); // prettier-ignore
  await importDecisions(screening, ris);
  assert.deepEqual([...screening.all()].at(-1)?.reason, 'wrong design');
  assert.equal(screening.verdict('W3'), 'exclude');
  const covidence = join(folder.path, 'covidence-excluded.ris');
  writeFileSync(covidence, `TY  - JOUR\nT1  - ${review[3]?.title ?? ''}\nDO  - 10.5555/review.w4\nER  - \n`);
  assert.equal((await importDecisions(screening, covidence, { as: 'exclude', by: 'covidence' })).excluded, 1);
  assert.equal(screening.verdict('W4'), 'exclude');
  // Covidence's table of excluded full texts.
  screening.decide({ work: 'W5', decision: 'include', by: 'ada' });
  writeFileSync(file, `Title,Authors,DOI,Ref,Covidence #,Notes\n${review[4]?.title ?? ''},Berg,10.5555/review.w5,12,#12,"Exclusion reason: Wrong outcomes; "\n`); // prettier-ignore
  await importDecisions(screening, file, { as: 'exclude', by: 'covidence', phase: 'full-text' });
  const last = [...screening.all()].at(-1);
  assert.deepEqual([last?.work, last?.phase, last?.reason], ['W5', 'full-text', 'Wrong outcomes']);
  // Our own column may contain anything.
  writeFileSync(file, `record_id,included,docstokg_decisions\nW6,1,"[{""id"":""x"",""by"":""eve"",""decision"":""include"",""phase"":""full-text"",""at"":5,""reason"":{},""note"":[1],""criteria"":""a"",""rank"":-1.5},null,7]"\nW7,1,"{""a"":1}"\n`); // prettier-ignore
  await importDecisions(screening, file);
  assert.deepEqual(['W6', 'W7'].map((work) => screening.verdict(work)), ['include', 'include']); // prettier-ignore
  writeFileSync(file, 'record_id,included\nW9,1\nW9,1\nW9,0\nW999,1\n');
  const { repeated, contradicting, unknown } = await importDecisions(screening, file);
  assert.deepEqual([repeated, contradicting, unknown], [[3], [4], [5]]);
  assert.equal(screening.verdict('W9'), 'exclude');
  await assert.rejects(importDecisions(screening, join(folder.path, 'nothere.csv')), { code: 'USAGE_LABELS' });
  writeFileSync(file, 'a,b\n1,2\n');
  await assert.rejects(importDecisions(screening, file), { code: 'USAGE_LABELS' });
});
