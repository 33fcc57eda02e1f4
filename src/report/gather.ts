import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { AppError } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import { REASONS } from '../download/index.ts';
import type { GraphPicture } from '../graph/index.ts';
import { accountOf, workLine } from './work-lines.ts';
import type { DocumentPart, ReportData, WorkLine } from './data.ts';
import { gatherGraph } from './graph-pictures.ts';
import { HostLines } from './host-lines.ts';
import type { ReportLimits } from './limits.ts';
import { retractedIn } from './retracted.ts';
import { hostRows, lastWorkRows } from './rows.ts';
import type { ShownDocuments } from './shown-documents.ts';
import { showDocuments } from './shown-documents.ts';
import { stageLines } from './stage-lines.ts';

/** All that the page shows: the common part, and one part per document. */
export interface Gathered {
  readonly data: ReportData;
  readonly parts: readonly (DocumentPart | undefined)[];
  /** The lines of works, some thousand in each part: read by the page when its list is opened. */
  readonly works: readonly (readonly WorkLine[])[];
  /** One per work of the graph. */
  readonly pictures: readonly GraphPicture[];
}

/** Reads a run folder. Whatever is missing in it is missing in the page; a folder with nothing at all is refused. */
export async function gather(
  folder: string,
  options: {
    readonly title: string | undefined;
    readonly generatedAt: number;
    readonly limits: ReportLimits;
    /** The documents, where they were read and drawn before. */
    readonly documents?: ShownDocuments | undefined;
  },
): Promise<Gathered> {
  const { limits } = options;
  const dataRoot = join(folder, 'Data');
  const rows = await lastWorkRows(folder);
  const stages = await stageLines(dataRoot, limits);
  if (rows.size === 0 && stages.length === 0)
    throw new AppError('REPORT_NO_RUN', `${folder} holds nothing of a run`, {
      hint: 'name the folder that docstokg run, contentdownload --out or docparse parse wrote to',
    });
  const gathered = options.documents ?? (await showDocuments(folder, rows, limits));
  const { images } = gathered;
  const retracted = retractedIn(folder);
  const places = new Map(gathered.documents.map(({ sha256 }, at) => [sha256, at]));
  const works = workParts(
    [...rows.values()].map((row) => ({
      row,
      document: places.get(row.sha256 ?? '') ?? -1,
      isRetracted: retracted.works.has(row.work),
    })),
    folder,
    limits,
  );
  const taken = new Set(
    [...rows.values()].flatMap(({ work, sha256 }) => (retracted.works.has(work) && sha256 !== null ? sha256 : [])),
  );
  const isBack = ({ line, sha256 }: (typeof gathered.documents)[number]): boolean =>
    retracted.documents.has(line.id) || taken.has(sha256);
  const lines = works.reduce((sum, part) => sum + part.length, 0);
  const graph = gatherGraph(folder, limits);
  const hosts = await gatherHosts(folder, rows.values(), limits);
  const account = accountOf(rows.values());
  const withoutStructure = gathered.documents.filter(({ part }) => part === undefined).length;
  return {
    data: {
      title: options.title ?? (await askedTitle(folder)) ?? basename(folder),
      generatedAt: options.generatedAt,
      period: periodOf(rows.values()),
      timeScale: hosts.timeScale,
      works: { parts: works.length, lines },
      account,
      hosts: hosts.hosts,
      hostsFrom: hosts.from,
      stages,
      documents: gathered.documents.map((document) =>
        isBack(document) ? { ...document.line, retracted: true } : document.line,
      ),
      passages: gathered.passages,
      graph: graph.works,
      sentences: sentencesOf(rows.values()),
      leftOut: [
        ...said(rows.size - lines, 'works are counted but not listed'),
        ...said(hosts.leftOut, 'of the least asked hosts are not drawn'),
        ...said(gathered.unlisted, 'documents are counted but not listed'),
        ...said(
          gathered.withoutPassages,
          'documents have passages that are not in the search box; docstokg search finds them',
        ),
        ...said(withoutStructure, 'documents are without their structure here'),
        ...said(images.leftOut, 'pages are shown as recognised text, without an image'),
        ...graph.leftOut,
        ...gathered.damaged.map((fault) => `could not be read: ${fault}`),
      ],
    },
    parts: gathered.documents.map((document) =>
      document.part ? { ...document.part, images: images.of.get(document) ?? {} } : undefined,
    ),
    works,
    pictures: graph.pictures,
  };
}

const WORKS_PER_PART = 5_000;

/** The lines of works as far as there is room for them. */
function workParts(
  rows: readonly { readonly row: ManifestRow; readonly document: number; readonly isRetracted: boolean }[],
  folder: string,
  limits: ReportLimits,
): (readonly WorkLine[])[] {
  const parts: WorkLine[][] = [];
  let room = limits.workChars;
  for (const { row, ...about } of rows) {
    const line = workLine(row, folder, about);
    room -= JSON.stringify(line).length;
    if (room < 0) break;
    const last = parts.at(-1);
    if (last && last.length < WORKS_PER_PART) last.push(line);
    else parts.push([line]);
  }
  return parts;
}

async function gatherHosts(
  folder: string,
  rows: Iterable<ManifestRow>,
  limits: ReportLimits,
): Promise<ReturnType<HostLines['lines']> & { readonly from: 'log' | 'attempts'; readonly timeScale: number }> {
  const lines = new HostLines(limits);
  let [seen, timeScale] = [0, 1];
  for await (const row of hostRows(folder)) {
    if (row.kind === 'run') timeScale = row.time_scale;
    else {
      lines.add(row);
      seen += 1;
    }
  }
  if (seen === 0) for (const row of rows) lines.addAttempts(row);
  return { ...lines.lines(), from: seen === 0 ? 'attempts' : 'log', timeScale };
}

function said(count: number, what: string): string[] {
  return count > 0 ? [`${count.toLocaleString('en')} ${what}`] : [];
}

function periodOf(rows: Iterable<ManifestRow>): ReportData['period'] {
  let [from, to] = [Infinity, -Infinity];
  for (const row of rows) {
    const at = Date.parse(row.at);
    if (Number.isNaN(at)) continue;
    [from, to] = [Math.min(from, at - row.duration_ms), Math.max(to, at)];
  }
  return from <= to ? { from, to } : null;
}

function sentencesOf(rows: Iterable<ManifestRow>): Record<string, string> {
  const used = new Set<string>();
  for (const row of rows) {
    used.add(row.reason);
    for (const { reason } of row.attempts) used.add(reason);
  }
  return Object.fromEntries(
    Object.entries(REASONS).flatMap(([name, { sentence }]) => (used.has(name) ? [[name, sentence]] : [])),
  );
}

/** What was asked for, where the run has written it down. */
async function askedTitle(folder: string): Promise<string | undefined> {
  const path = join(folder, 'run.json');
  if (!existsSync(path)) return undefined;
  try {
    const { asked } = JSON.parse(await readFile(path, 'utf8')) as { asked?: { topic?: unknown; input?: unknown } };
    if (typeof asked?.topic === 'string' && asked.topic !== '')
      return `${asked.topic.charAt(0).toUpperCase()}${asked.topic.slice(1)}`;
    const inputs = Array.isArray(asked?.input) ? asked.input.filter((name) => typeof name === 'string') : [];
    return inputs.length === 0 ? undefined : `Works of ${inputs.map((name) => basename(name)).join(', ')}`;
  } catch (error) {
    // Half a run.json means that the run is being written: the folder's name will do.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
