import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { Clock } from '../base/index.ts';
import { AtomicText, AppError, errorInfo, fileInside, packageVersion, plural, systemClock } from '../base/index.ts';
import type { CorpusOptions } from '../corpus/index.ts';
import { openCorpus } from '../corpus/index.ts';
import { escapeHtml } from '../parse/index.ts';
import { apiRoutes } from './api/routes.ts';
import type { Answer } from './http/route.ts';
import type { Router } from './http/router.ts';
import { createRouter } from './http/router.ts';
import { pageHtml, pageParts } from './page-assets.ts';
import type { About, DocumentLine, List, Passages, ReportFacts, Stages, WholeDocument, Work } from './page/answers.ts';
import { openMonitor } from './watch/monitor.ts';

/** In characters of JSON before compression: a browser loads it all. The report lists what it omits. */
const REPORT_LIMITS = {
  /** Lines of works, about a hundred thousand; the counts cover all. */
  works: 60_000_000,
  workDetails: 12_000_000,
  documents: 5_000,
  structure: 30_000_000,
  passages: 16_000_000,
  graph: 12_000_000,
  /** Bytes of pictures of pages, about fifty kilobytes and fifty milliseconds each. */
  pictures: 8_000_000,
};
export type ReportLimits = Readonly<typeof REPORT_LIMITS>;

const PICTURE_PIXELS = 760;
const RUN = '/runs/run';

/**
 * Writes `report.html`, by default into the run folder: the page of `docstokg serve` with its answers inside, in one
 * file.
 */
export async function writeReport(options: {
  readonly folder: string;
  readonly title?: string | undefined;
  readonly path?: string | undefined;
  readonly corpus?: CorpusOptions | undefined;
  readonly limits?: Partial<ReportLimits>;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}): Promise<{ readonly path: string }> {
  const folder = resolve(options.folder);
  const { clock = systemClock, signal = new AbortController().signal } = options;
  await using monitor = openMonitor({
    runs: [{ id: 'run', corpus: await openCorpus(folder, options.corpus) }],
    queue: undefined,
    clock,
    log: () => undefined,
  });
  await monitor.look();
  const version = packageVersion();
  const router = createRouter(
    apiRoutes({ monitor, clock, version, workerCommand: null, control: { isAllowed: false }, hasMcp: false }),
    monitor.runs,
    version,
  );
  const asked = answersOf(router, signal);
  const about = await asked.get<About>('/');
  const stages = await asked.get<Stages>(`${RUN}/stages`);
  const [run] = about.runs;
  if (!run || (run.works === 0 && run.documents === 0 && stages.items.length === 0))
    throw new AppError('REPORT_NO_RUN', `${folder} is not a run folder, or the run has done nothing yet`, {
      hint: 'give the output folder of docstokg run, contentdownload or docparse parse',
    });
  const path = resolve(options.path ?? join(folder, 'report.html'));
  const title = options.title ?? run.title;
  const noscript = `${title}: ${run.works} works, ${run.saved} full texts, ${run.documents} documents.`;
  const [before = '', after = ''] = await frame(title, noscript);
  using page = new AtomicText(path, true);
  const report = { ...asked, ...writerInto(page), limits: { ...REPORT_LIMITS, ...options.limits } };
  page.write(before);
  // Commands in it are typed in its folder; it may be sent to others, who need not know the path.
  report.add('/', { ...about, runs: [{ ...run, title, folder: relative(dirname(path), folder) || '.' }] });
  for (const name of ['account', 'stages', 'sources', 'hosts', 'history', 'facets'])
    report.add(`${RUN}/${name}`, await report.get(`${RUN}/${name}`));
  await addWorks(report);
  const files = await addDocuments(report, folder, dirname(path));
  if (run.has_graph) await addGraph(report);
  const writtenAt = new Date(clock.now()).toISOString();
  report.add('report', { written_at: writtenAt, omitted: report.omitted, files } satisfies ReportFacts);
  page.write(after);
  await page.commit();
  return { path };
}

async function frame(title: string, noscript: string): Promise<string[]> {
  const { script, style } = await pageParts();
  // Allow only this script and this style, by hash; nothing can be fetched, sent, framed or submitted.
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const answers = '<!-- answers -->';
  return pageHtml({
    title: `${escapeHtml(title)} · DocsToKG`,
    head: `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>`,
    noscript: escapeHtml(noscript),
    body: `${answers}<script>${script}</script>\n`,
  }).split(answers);
}

function answersOf(router: Router, signal: AbortSignal) {
  const get = async <T>(path: string): Promise<T> => {
    signal.throwIfAborted();
    const answer = await router.get(path, signal);
    if (answer.kind !== 'json') throw new Error(`${path} is not JSON`);
    return answer.value as T;
  };
  return {
    get,
    find: async (path: string): Promise<Answer | undefined> => {
      signal.throwIfAborted();
      return await router.get(path, signal).catch(() => undefined);
    },
    async *pages<T>(path: string): AsyncGenerator<List<T>> {
      for (let cursor = ''; ;) {
        const answer: List<T> = await get(`${path}?limit=500${cursor}`);
        yield answer;
        if (answer.next === null) return;
        cursor = `&cursor=${encodeURIComponent(answer.next)}`;
      }
    },
  };
}

/** Writes answers at once, because together they take much memory, and collects what was omitted. */
function writerInto(page: AtomicText) {
  const omitted: string[] = [];
  const addBytes = (path: string, bytes: Uint8Array): void => page.write(block(path, Buffer.from(bytes)));
  const addText = (path: string, json: string): void => addBytes(path, gzipSync(json));
  return {
    add: (path: string, value: unknown): void => addText(path, JSON.stringify(value)),
    addText,
    addBytes,
    omitted,
    omit: (count: number, one: string, how: string): void => {
      if (count > 0) omitted.push(`${count.toLocaleString('en')} ${plural(count, one)} ${how}`);
    },
  };
}

type Report = ReturnType<typeof answersOf> & ReturnType<typeof writerInto> & { readonly limits: ReportLimits };

/** Counts down a limit: whether so much more fits. Once something does not fit, nothing does. */
function roomFor(size: number): (length?: number) => boolean {
  let left = size;
  return (length = 0) => (left -= length) > 0;
}

async function addWorks(report: Report): Promise<void> {
  const [room, detailRoom] = [roomFor(report.limits.works), roomFor(report.limits.workDetails)];
  let [total, listed, detailed] = [0, 0, 0];
  for await (const page of report.pages<Work>(`${RUN}/works`)) {
    total = page.total ?? 0;
    // As text at once: a hundred thousand works would be copied several times.
    const lines = [];
    for (const work of page.items) {
      const line = JSON.stringify(work);
      if (!room(line.length)) break;
      lines.push(line);
      if (!detailRoom()) continue;
      const path = `${RUN}/works/${encodeURIComponent(work.id)}`;
      const details = JSON.stringify(await report.get(path));
      if (!detailRoom(details.length)) continue;
      report.addText(path, details);
      detailed += 1;
    }
    listed += lines.length;
    report.addText('works', `[${lines.join(',')}]`);
    if (!room()) break;
  }
  report.omit(total - listed, 'work', 'counted but not listed');
  report.omit(listed - detailed, 'work', 'listed without abstract and attempts');
}

/** Adds documents up to the limits, and returns relative links to their files, so that both can be moved. */
async function addDocuments(report: Report, folder: string, beside: string): Promise<Record<string, string>> {
  const [room, passageRoom] = [roomFor(report.limits.structure), roomFor(report.limits.passages)];
  const files: Record<string, string> = {};
  const lines: DocumentLine[] = [];
  const pages: PagePlace[] = [];
  let [unlisted, unshown, unsearched] = [0, 0, 0];
  for await (const { items } of report.pages<DocumentLine>(`${RUN}/documents`))
    for (const line of items) {
      if (lines.length >= report.limits.documents) {
        unlisted += 1;
        continue;
      }
      lines.push(line);
      const path = `${RUN}/documents/${encodeURIComponent(line.id)}`;
      try {
        const whole = room() ? await report.get<WholeDocument>(path) : undefined;
        if (whole && room(JSON.stringify(whole).length)) {
          report.add(path, whole);
          if (whole.kind === 'pdf') pages.push(...whole.pages.map(({ number }, at) => ({ path, page: number, at })));
        } else unshown += 1;
        const passages = passageRoom() ? await report.get<Passages>(`${path}/passages`) : undefined;
        if (passages && passageRoom(JSON.stringify(passages).length)) report.add(`${path}/passages`, passages);
        else unsearched += 1;
      } catch (error) {
        // Omit the whole document. The message may contain paths of this machine, so only the code is shown.
        report.omitted.push(`${line.id} could not be read: ${errorInfo(error).code}`);
      }
      const file = await report.find(`${path}/file`);
      // One's own papers lie elsewhere; a report may be sent to others.
      if (file?.kind !== 'file' || fileInside(folder, file.path) === undefined) continue;
      const way = relative(realpathSync(beside), file.path);
      files[`${path}/file`] = `./${way.split(sep).map(encodeURIComponent).join('/')}`;
    }
  report.add('documents', lines);
  report.omit(unlisted, 'document', 'counted but not listed');
  report.omit(unsearched, 'document', 'not searched here; use docstokg search');
  report.omit(unshown, 'document', 'listed without structure');
  await addPictures(report, pages);
  return files;
}

type PagePlace = { readonly path: string; readonly page: number; readonly at: number };

/** Page images: the first page of every document, then the second, and so on. */
async function addPictures(report: Report, pages: readonly PagePlace[]): Promise<void> {
  const room = roomFor(report.limits.pictures);
  let drawn = 0;
  for (const { path, page } of pages.toSorted((a, b) => a.at - b.at)) {
    if (!room()) break;
    const picture = `${path}/pages/${page}.png`;
    const answer = await report.find(`${picture}?width=${PICTURE_PIXELS}`);
    if (answer?.kind !== 'bytes') continue;
    drawn += 1;
    room(answer.bytes.length);
    report.addBytes(picture, answer.bytes);
  }
  report.omit(pages.length - drawn, 'page', 'shown as recognised text, without a picture');
}

async function addGraph(report: Report): Promise<void> {
  try {
    const { items } = await report.get<List<{ readonly id: string }>>(`${RUN}/graph/works?limit=1000`);
    const room = roomFor(report.limits.graph);
    const shown = [];
    for (const work of items) {
      const path = `${RUN}/graph/picture?${new URLSearchParams({ node: work.id }).toString()}`;
      const picture = JSON.stringify(await report.get(path));
      if (!room(picture.length)) break;
      report.addText(path, picture);
      shown.push(work);
    }
    report.add(`${RUN}/graph/works`, { items: shown });
    const left = items.length - shown.length;
    report.omit(left, 'work', 'not in the graph here; use docstokg graph list neighbours');
  } catch (error) {
    // A graph of another version must not prevent the report.
    if (!(error instanceof AppError)) throw error;
    report.omitted.push(`the graph is not shown: ${error.message}`);
  }
}

/** Data in a script element that browsers do not run; base64 cannot contain its end tag. */
function block(path: string, bytes: Buffer): string {
  return `<script type="text/plain" data-path="${escapeHtml(path)}">${bytes.toString('base64')}</script>\n`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
