import { statSync } from 'node:fs';
import { basename } from 'node:path';

import { AppError, csvLine, forEachOf, lettersOf } from '../base/index.ts';
import type { UnreadableEntry } from '../corpus/index.ts';
import { entryNames } from '../corpus/index.ts';
import type { Choice, Phase, Records, ScreeningDecision } from '../database/index.ts';
import { CHOICES, PHASES } from '../database/index.ts';
import type { Work, WorkRecord } from '../works/index.ts';
import {
  emptyRecord,
  identify,
  keyOf,
  listFormatOf,
  mergeIds,
  NO_IDS,
  readTable,
  readTagged,
  readUtf8,
  readWorks,
  RIS,
  risEntry,
  yearOf,
} from '../works/index.ts';
import type { Decided, Logged, Screening } from './screening.ts';

export const DECISION_FORMATS = ['decisions', 'asreview', 'rayyan', 'decisions-ris'] as const;
export type DecisionFormat = (typeof DECISION_FORMATS)[number];

/** Works looked up at the same time. */
const TOGETHER = 4;
/** The reviewer if a file names none. */
const IMPORTED = 'import';
/** The reason for a full-text exclusion without one. */
const NO_REASON = 'no reason given';
/** The column or note with our complete decisions, which other tools preserve. */
const OURS = 'docstokg_decisions';
const DECISIONS = ['included', 'label', 'label_included', 'decision', 'asreview_label', 'status', 'final_included'];
const IDS = ['record_id', 'id', 'work', 'doi', 'pmid', 'openalex'];
const NOTES = ['note', 'asreview_note', 'notes'];
const MEANINGS: readonly (readonly [Choice, RegExp])[] = [
  ['include', /^(?:1(?:\.0)?|true|yes|y|include[d]?|relevant|accept(?:ed)?)$/i],
  ['exclude', /^(?:0(?:\.0)?|false|no|n|exclude[d]?|irrelevant|reject(?:ed)?)$/i],
  ['maybe', /^(?:maybe|unsure|undecided)$/i],
];

/** One entry of a file; field names differ between tools. */
interface Row {
  readonly line: number;
  /** The fields that entries of this file may have, in lower case. */
  readonly names: readonly string[];
  readonly value: (name: string) => string;
  readonly tags: readonly string[];
}

/** Reads decisions from a CSV or RIS file, or from a list of works that all have the decision `as`, and logs them. */
export async function importDecisions(
  screening: Screening,
  path: string,
  options: {
    readonly as?: Choice | undefined;
    readonly by?: string | undefined;
    readonly phase?: Phase | undefined;
  } = {},
) {
  requireFile(path);
  const { as, by = IMPORTED, phase } = options;
  const find = worksBy(screening.records);
  const seen = new Map<string, Choice>();
  const found: Logged[] = [];
  const [unknown, repeated, contradicting]: [number[], number[], number[]] = [[], [], []];
  let undecided = 0;
  let hasDecisions = false;
  const isTable = as === undefined || /\.(?:csv|tsv|ris)$/i.test(path);
  for await (const row of isTable ? rowsOf(path) : rowsOfList(path)) {
    const work = find(row);
    const all = as === undefined ? decisionsIn(row, by) : [{ ...detailsIn(row), decision: as, by }];
    hasDecisions ||= all.length > 0 || DECISIONS.some((name) => row.names.includes(name));
    if (all.length === 0) undecided += 1;
    else if (work === undefined) unknown.push(row.line);
    else
      for (const decided of all) {
        const key = keyOfDecision({ ...decided, work });
        const before = seen.get(key);
        if (before !== undefined && !('id' in decided))
          (before === decided.decision ? repeated : contradicting).push(row.line);
        seen.set(key, decided.decision);
        const at = decided.phase ?? phase;
        const reason = decided.reason ?? (at === 'full-text' && decided.decision === 'exclude' ? NO_REASON : undefined);
        found.push({ rank: null, ...decided, phase: at, reason, work });
      }
  }
  if (!hasDecisions)
    throw new AppError('USAGE_LABELS', `${path} has no column of decisions`, {
      hint: `one of ${DECISIONS.join(', ')}; a list whose works were all decided alike is read with --as include or --as exclude`,
    });
  const reviewers = Math.max(
    1,
    ...[...Map.groupBy(found, ({ work, phase }) => `${work} ${phase ?? ''}`).values()].map(
      (each) => new Set(each.map((one) => one.by)).size,
    ),
  );
  // Reviewers who disagree have not decided; with one reviewer required, the last decision would win.
  if (screening.protocol.version === 0 && reviewers > 1) {
    screening.setProtocol({ reviewers }, by);
    await screening.settle();
  }
  const last = new Map(found.map((each) => ['id' in each ? each.id : keyOfDecision(each), each]));
  screening.decideAll([...last.values()].filter((each) => 'id' in each || !isKnown(screening, each)));
  await screening.settle();
  const count = (choice: Choice): number => [...seen.values()].filter((each) => each === choice).length;
  return {
    included: count('include'),
    excluded: count('exclude'),
    maybe: count('maybe'),
    /** Lines whose work is not in the run. */
    unknown,
    undecided,
    /** Lines that repeat an earlier line about the same work, or contradict one: the later one counts. */
    repeated,
    contradicting,
  };
}

function keyOfDecision({ work, phase = 'title-abstract', by }: Decided): string {
  return JSON.stringify([work, phase, by]);
}

/** Whether a file repeats a decision that is already logged. */
function isKnown(screening: Screening, { work, decision, by, phase = 'title-abstract' }: Decided): boolean {
  return (
    screening.decisionOf(work, by, phase) === decision || (by === IMPORTED && screening.verdict(work) === decision)
  );
}

export function requireFile(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new AppError('USAGE_LABELS', `there is no file ${path}`, { hint: 'check the path' });
}

/** Asks services for the record of a work that a list gives only by an id; undefined if none knows it. */
export type AskRecord = (work: Work) => Promise<WorkRecord | undefined>;

/**
 * Adds the records of lists to screen before anything is downloaded. Works that a list gives by an id alone are looked
 * up with `ask`. Adding a list again changes nothing.
 */
export async function addRecords(
  screening: Screening,
  paths: readonly string[],
  options: { readonly now: string; readonly ask?: AskRecord },
) {
  const { now, ask } = options;
  const { records } = screening;
  const unreadable: UnreadableEntry[] = [];
  // A work counts once per list that names it.
  const times = records.listedElsewhere(paths.map((path) => basename(path)));
  const named = new Map<string, Map<string, number>>();
  const nameOf = entryNames(records);
  let entries = 0;
  for (const path of paths) {
    const found: WorkRecord[] = [];
    const bare: Work[] = [];
    const unread: string[] = [];
    for await (const entry of readWorks(path)) {
      entries += 1;
      if (entry.kind === 'work' && (entry.record?.title ?? entry.work.title) === null) bare.push(entry.work);
      else if (entry.kind === 'work')
        found.push({
          ...(entry.record ?? { ...emptyRecord(entry.work.id, entry.work.ids), title: entry.work.title }),
          id: entry.work.id,
        });
      else if (entry.kind === 'cited')
        found.push({ ...entry.record, id: nameOf(entry.record, `entry:${basename(path)}#${entry.line}`) });
      else {
        unreadable.push({ file: path, line: entry.line, word: 'unreadable-entry', reason: entry.reason });
        unread.push(`entry:${basename(path)}#${entry.line}`);
      }
    }
    await forEachOf(bare, TOGETHER, async (work) => {
      const known = records.get(work.id);
      const isTitled = known !== undefined && known.title !== null;
      const said = isTitled ? undefined : await ask?.(work);
      // A record that is already there keeps its id.
      const ids = mergeIds(said?.ids ?? NO_IDS, work.ids);
      found.push(said ? { ...said, id: known?.id ?? said.id, ids } : emptyRecord(work.id, ids));
    });
    records.add(found);
    const ids = [...found.map(({ id }) => records.idOf(id)), ...unread];
    const inFile = new Map<string, number>();
    for (const id of ids) {
      times.set(id, (times.get(id) ?? 0) + 1);
      inFile.set(id, (inFile.get(id) ?? 0) + 1);
    }
    named.set(path, inFile);
  }
  const given = new Set([...named.values()].flatMap((each) => [...each.keys()]));
  records.noteRepeats(new Map([...times].filter(([id]) => given.has(id))));
  for (const [path, ids] of named) records.noteInput(path, ids);
  records.linkNewVersions(now);
  return { entries, unreadable };
}

/** Includes our complete decisions: importing the file again loses nothing. */
export function* exportDecisions(screening: Screening, format: DecisionFormat): Generator<string> {
  const decisions = Map.groupBy(screening.all(), ({ work }) => work);
  if (format === 'decisions') {
    yield csvLine('id record_id doi title phase decision by at reason note criteria rank'.split(' '));
    for (const [work, all] of decisions) {
      const record = screening.record(work);
      for (const { id, phase, decision, by, at, reason, note, criteria, rank } of all)
        yield csvLine([id, work, record.ids.doi, record.title, phase, decision, by, at, reason, note, criteria, rank]);
    }
    return;
  }
  if (format === 'asreview')
    yield csvLine(['record_id', 'title', 'abstract', 'authors', 'year', 'doi', 'keywords', 'url', 'included', OURS]);
  if (format === 'rayyan')
    yield csvLine(['key', 'title', 'year', 'authors', 'abstract', 'doi', 'url', 'notes', 'record_id', OURS]);
  for (const work of screening.works) {
    const record = screening.record(work);
    const all = decisions.get(work) ?? [];
    const { title, abstract, authors, ids, keywords, url } = record;
    const names = authors.map(({ name }) => name).join('; ');
    const verdict = screening.verdict(work);
    const ours = all.length === 0 ? '' : JSON.stringify(all);
    const included = verdict === 'include' ? 1 : verdict === 'exclude' ? 0 : null;
    if (format === 'asreview')
      yield csvLine([work, title, abstract, names, yearOf(record), ids.doi, keywords.join('; '), url, included, ours]);
    else if (format === 'rayyan')
      yield csvLine([work, title, yearOf(record), names, abstract, ids.doi, url, rayyanNote(all), work, ours]);
    else {
      const notes = all.length === 0 ? '' : `N1  - ${rayyanNote(all)}\r\nN1  - ${OURS} ${ours}\r\n`;
      const tag = verdict === null ? '' : `KW  - screening: ${verdict}\r\n`;
      yield risEntry(record).replace(/ER {2}- \r\n/, () => `${tag}${notes}ER  - \r\n`);
    }
  }
}

function rayyanNote(all: readonly ScreeningDecision[]): string {
  if (all.length === 0) return '';
  const words = { include: 'Included', exclude: 'Excluded', maybe: 'Maybe' } as const;
  const last = new Map(all.map((each) => [each.by.replaceAll(/["{}]/g, ''), each]));
  const said = Array.from(last, ([by, { decision }]) => `"${by}"=>"${words[decision]}"`).join(', ');
  const reasons = [...new Set(all.flatMap(({ reason }) => reason ?? []))].join(',');
  return `RAYYAN-INCLUSION: {${said}}${reasons === '' ? '' : ` | RAYYAN-EXCLUSION-REASONS: ${reasons}`}`.replaceAll(
    /\s+/g,
    ' ',
  );
}

/** The decisions of an entry: our own, of Rayyan's reviewers, in a tag, or in a column. */
function decisionsIn(row: Row, by: string): Omit<Logged, 'work'>[] {
  const { value, tags } = row;
  const ours = oursIn(value(OURS));
  const rayyan = /RAYYAN-INCLUSION: ?\{([^{}]{0,2000})\}/.exec(value('notes'))?.[1] ?? '';
  const reason = /RAYYAN-EXCLUSION-REASONS: ?([^|]{1,1000})/.exec(value('notes'))?.[1]?.trim();
  const reviewers = Array.from(rayyan.matchAll(/"([^"]{1,100})" ?=> ?"(\w{1,20})"/g), ([, who = '', said = '']) => ({
    who,
    said,
  }));
  const fromRayyan = reviewers.flatMap(({ who, said }) => {
    const decision = meaningOf(said);
    return decision ? [{ decision, by: who, ...(decision === 'exclude' && reason !== undefined && { reason }) }] : [];
  });
  const tag = tags.map((each) => /^(?:screening: ?)?(include|exclude|maybe)d?$/i.exec(each)?.[1]).find(Boolean);
  const said = DECISIONS.map(value).find((each) => each !== '') ?? tag ?? '';
  const decision = meaningOf(said);
  // A line of our own table contains the id of its decision.
  const own =
    value('phase') !== '' && value('by') !== '' && value('id') !== ''
      ? {
          id: value('id'),
          criteria: numberIn(Number(value('criteria'))) ?? 0,
          rank: value('rank') === '' ? null : (numberIn(Number(value('rank'))) ?? null),
        }
      : {};
  const single = decision ? [{ ...detailsIn(row), ...own, decision, by: value('by') || by }] : [];
  // Our own decisions come first: any others of the tool are later ones.
  const theirs = (fromRayyan.length > 0 ? fromRayyan : single).filter(
    (each) => !ours.some((our) => our.decision === each.decision && (our.by === each.by || fromRayyan.length === 0)),
  );
  return [...ours, ...theirs];
}

/** Phase, reason and other details of an entry; Covidence writes the reason into the notes. */
function detailsIn({ value }: Row): Pick<Logged, 'phase' | 'reason' | 'note' | 'at'> {
  const note = NOTES.map(value).find((each) => each !== '' && !/RAYYAN-|^docstokg_/.test(each));
  const inNote = /Exclusion reason: ?([^;|]{1,1000})/i.exec(note ?? '')?.[1]?.trim();
  return {
    phase: PHASES.find((each) => each === value('phase')),
    reason: value('reason') || inNote,
    note,
    at: value('at') || value('asreview_time') || undefined,
  };
}

function oursIn(text: string): (Omit<Logged, 'work'> & { readonly id: string })[] {
  if (text === '') return [];
  try {
    const rows = JSON.parse(text) as Partial<ScreeningDecision>[];
    return rows.flatMap(({ id, phase, decision, by, at, reason, note, criteria, rank }) =>
      typeof id === 'string' &&
      typeof by === 'string' &&
      CHOICES.includes(decision as Choice) &&
      PHASES.includes(phase as 'full-text')
        ? [
            {
              id,
              phase,
              decision: decision as Choice,
              by,
              at: textIn(at),
              reason: textIn(reason),
              note: textIn(note),
              criteria: numberIn(criteria) ?? 0,
              rank: numberIn(rank) ?? null,
            },
          ]
        : [],
    );
  } catch {
    return []; // Another tool cut it off: what else the line says counts.
  }
}

/** Files may come from anywhere: a value of the wrong type counts as missing. */
function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberIn(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

function meaningOf(said: string): Choice | undefined {
  return MEANINGS.find(([, pattern]) => pattern.test(said))?.[0];
}

async function* rowsOf(path: string): AsyncGenerator<Row> {
  if (/\.(?:ris|txt)$/i.test(path)) {
    for await (const { line, fields } of readTagged(readUtf8(path), RIS)) {
      const all = (tag: string): string[] => fields.flatMap(([name, value]) => (name === tag ? [value] : []));
      const named = new Map([
        ...[
          ['id', 'ID'],
          ['doi', 'DO'],
          ['pmid', 'AN'],
          ['title', 'TI'],
        ].map(([name, tag]) => [name, all(tag ?? '')[0] ?? ''] as const),
        ['title', all('TI')[0] ?? all('T1')[0] ?? ''],
        [
          'notes',
          all('N1')
            .filter((note) => !note.startsWith(OURS))
            .join(' | '),
        ],
        [
          OURS,
          all('N1')
            .find((note) => note.startsWith(OURS))
            ?.slice(OURS.length)
            .trim() ?? '',
        ],
      ] as const);
      yield { line, names: ['label'], value: (name) => named.get(name) ?? '', tags: all('KW') };
    }
    return;
  }
  for await (const { line, names, value } of readTable(path)) {
    const columns = new Map(names.map((name) => [name.toLowerCase(), name]));
    // Spreadsheets put a quote before text that looks like a formula; it is not part of the text.
    const said = (name: string): string => value(columns.get(name) ?? '').replace(/^'(?=[=+\-@])/, '');
    yield { line, names: [...columns.keys()], value: said, tags: [] };
  }
}

async function* rowsOfList(path: string): AsyncGenerator<Row> {
  listFormatOf(path);
  for await (const entry of readWorks(path)) {
    const work = entry.kind === 'work' ? entry.work : undefined;
    const { doi = null, pmid = null, openalex = null } = work?.ids ?? {};
    const title = work?.title ?? (entry.kind === 'cited' ? entry.cited.title : null);
    const named: Readonly<Record<string, string | null>> = { id: work?.id ?? null, doi, pmid, openalex, title };
    yield { line: entry.line, names: [], value: (name) => named[name] ?? '', tags: [] };
  }
}

function worksBy(records: Records): (row: Row) => string | undefined {
  const titles = new Map([...records.all()].map(({ id, title }) => [lettersOf(title ?? ''), id]));
  titles.delete('');
  const byId = (text: string): string | undefined => {
    if (text === '') return undefined;
    const ids = identify(text);
    return records.get(text)?.id ?? (ids ? records.get(keyOf(ids) ?? '')?.id : undefined);
  };
  return ({ value }) =>
    IDS.map((name) => byId(name === 'pmid' && value(name) !== '' ? `pmid:${value(name)}` : value(name))).find(
      (id) => id !== undefined,
    ) ?? titles.get(lettersOf(value('title')));
}
