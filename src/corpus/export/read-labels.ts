import { createReadStream, existsSync } from 'node:fs';

import { AppError } from '../../base/index.ts';
import type { Label, Records } from '../../store/index.ts';
import { identify, keyOf, readCsv, readWorks } from '../../works/index.ts';

/** What a screening tool has decided, by the work it is about. */
export interface ReadLabels {
  readonly labels: ReadonlyMap<string, Label>;
  /** Lines whose work is not in the corpus. */
  readonly unknown: readonly number[];
  /** Lines without a decision. */
  readonly undecided: number;
  /** Lines that say again what an earlier line said of the same work. */
  readonly repeated: readonly number[];
  /** Lines that contradict an earlier line about the same work: the later one counts. */
  readonly contradicting: readonly number[];
}

/** Decisions as they are read, line by line. */
class Decisions {
  readonly labels = new Map<string, Label>();
  readonly repeated: number[] = [];
  readonly contradicting: number[] = [];

  add(work: string, label: Label, line: number): void {
    const before = this.labels.get(work);
    if (before !== undefined) (before === label ? this.repeated : this.contradicting).push(line);
    this.labels.set(work, label);
  }
}

const DECISIONS = ['included', 'label', 'label_included', 'decision', 'asreview_label', 'status', 'final_included'];
const IDS = ['record_id', 'id', 'work', 'doi', 'pmid', 'openalex'];
const YES = /^(?:1(?:\.0)?|true|yes|y|include[d]?|relevant|accept(?:ed)?)$/i;
const NO = /^(?:0(?:\.0)?|false|no|n|exclude[d]?|irrelevant|reject(?:ed)?)$/i;

/** Reads decisions from a table, or from a list of works that were all decided `as` it says; works are known by their ids, or by their titles. */
export async function readLabels(path: string, records: Records, as?: Label): Promise<ReadLabels> {
  if (!existsSync(path)) throw new AppError('USAGE_LABELS', `file not found: ${path}`, { hint: 'check the path' });
  return await (as === undefined ? readTable(path, records) : readAlike(path, records, as));
}

/** The labels of a table as ASReview, Rayyan or a person writes them. */
async function readTable(path: string, records: Records): Promise<ReadLabels> {
  const decisions = new Decisions();
  const unknown: number[] = [];
  let undecided = 0;
  let header: readonly string[] | undefined;
  const titles = titlesOf(records);
  const separator = path.toLowerCase().endsWith('.tsv') ? '\t' : ',';
  for await (const { line, fields } of readCsv(createReadStream(path), { separator })) {
    if (!header) {
      header = (fields ?? []).map((name) =>
        name
          .replace(/^\uFEFF/, '')
          .trim()
          .toLowerCase(),
      );
      continue;
    }
    const names = header;
    const value = (name: string): string => fields?.[names.indexOf(name)]?.trim() ?? '';
    const decision = DECISIONS.map(value).find((each) => each !== '') ?? inRayyanNotes(value('notes'));
    if (!YES.test(decision) && !NO.test(decision)) {
      undecided += 1;
      continue;
    }
    const work =
      IDS.map((name) => workOf(name === 'pmid' ? `pmid:${value(name)}` : value(name), records)).find(
        (id) => id !== undefined,
      ) ?? titles.get(folded(value('title')));
    if (work === undefined || work === '') unknown.push(line);
    else decisions.add(work, YES.test(decision) ? 'included' : 'excluded', line);
  }
  if (!header?.some((name) => DECISIONS.includes(name)) && decisions.labels.size + unknown.length === 0) {
    throw new AppError('USAGE_LABELS', `${path} has no decision column`, {
      hint: `one of ${DECISIONS.join(', ')}; for a list where all works have the same decision use --as included or --as excluded`,
    });
  }
  const { labels, repeated, contradicting } = decisions;
  return { labels, unknown, undecided, repeated, contradicting };
}

/** A list in any format: a tool's export of what it included, say. */
async function readAlike(path: string, records: Records, label: Label): Promise<ReadLabels> {
  const decisions = new Decisions();
  const unknown: number[] = [];
  const titles = titlesOf(records);
  for await (const entry of readWorks(path)) {
    const ids = entry.kind === 'work' ? entry.work.ids : undefined;
    const title = entry.kind === 'work' ? entry.work.title : entry.kind === 'cited' ? entry.cited.title : null;
    const names = Object.entries(ids ?? {}).map(([kind, id]) => (id === null ? '' : `${kind}:${idText(id)}`));
    const work =
      (entry.kind === 'work' ? records.get(entry.work.id)?.id : undefined) ??
      names.map((name) => workOf(name, records)).find((id) => id !== undefined) ??
      titles.get(folded(title ?? ''));
    if (work === undefined || work === '') unknown.push(entry.line);
    else decisions.add(work, label, entry.line);
  }
  const { labels, repeated, contradicting } = decisions;
  return { labels, unknown, undecided: 0, repeated, contradicting };
}

function idText(id: string | { readonly id: string }): string {
  return typeof id === 'string' ? id : id.id;
}

/** Works by their titles; those without one are not among them. */
function titlesOf(records: Records): Map<string, string> {
  const titles = new Map([...records.all()].map(({ id, title }) => [folded(title ?? ''), id]));
  titles.delete('');
  return titles;
}

/** Rayyan writes what each reviewer said into the notes: `RAYYAN-INCLUSION: {"Ada"=>"Included", "Bo"=>"Excluded"}`; where they differ nothing is decided. */
function inRayyanNotes(notes: string): string {
  const said = /RAYYAN-INCLUSION: ?\{([^{}]{0,2000})\}/.exec(notes)?.[1] ?? '';
  const decisions = new Set(Array.from(said.matchAll(/=> ?"(\w{1,20})"/g), ([, decision = '']) => decision));
  return decisions.size === 1 ? ([...decisions][0] ?? '') : '';
}

function workOf(text: string, records: Records): string | undefined {
  if (text === '') return undefined;
  const ids = identify(text);
  return records.get(text)?.id ?? (ids ? records.get(keyOf(ids) ?? '')?.id : undefined);
}

function folded(title: string): string {
  return title
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
