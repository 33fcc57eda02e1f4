import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { Clock } from '../base/index.ts';
import { AtomicText, AppError, errorInfo, packageVersion, systemClock } from '../base/index.ts';
import type { CorpusOptions } from '../corpus/index.ts';
import { openCorpus } from '../corpus/index.ts';
import { escapeHtml } from '../parse/index.ts';
import { apiRoutes } from './api/routes.ts';
import { Router } from './http/router.ts';
import { pageHtml, pageParts } from './page-assets.ts';
import type {
  About,
  Account,
  DocumentLine,
  List,
  Passages,
  ReportFacts,
  Stages,
  WholeDocument,
  Work,
} from './page/answers.ts';
import { World } from './watch/world.ts';

/**
 * Size limits of a report, in characters of JSON before compression, because a browser loads the whole page. The report
 * lists what was omitted; the run folder has it.
 */
const REPORT_LIMITS = {
  /** Lines of works, about a hundred thousand; the counts cover all. */
  works: 60_000_000,
  /** Abstracts, citations and attempts. */
  workDetails: 12_000_000,
  /** Documents that are listed. */
  documents: 5_000,
  structure: 30_000_000,
  passages: 16_000_000,
  graph: 12_000_000,
  /** Pictures of pages: about fifty kilobytes and fifty milliseconds each. */
  pictures: 120,
  pictureBytes: 8_000_000,
};
export type ReportLimits = Readonly<typeof REPORT_LIMITS>;

/** Wide enough to be read on a screen. */
const PICTURE_PIXELS = 760;
const RUN = '/runs/run';

/** Writes `report.html`, by default into the run folder: the page of `docstokg serve` with its answers inside, in one file. */
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
  await using world = new World({
    runs: [{ id: 'run', corpus: await openCorpus(folder, options.corpus) }],
    queue: undefined,
    clock,
    log: () => undefined,
  });
  await world.look();
  const version = packageVersion();
  const router = new Router(
    apiRoutes({ world, clock, version, steering: { isAllowed: false }, hasMcp: false }),
    world.runs,
    version,
  );
  const path = resolve(options.path ?? join(folder, 'report.html'));
  const report = new ReportWriter({ router, folder, path, limits: { ...REPORT_LIMITS, ...options.limits }, signal });
  await report.write(options.title, new Date(clock.now()).toISOString());
  return { path };
}

interface ReportParts {
  readonly router: Router;
  readonly folder: string;
  readonly path: string;
  readonly limits: ReportLimits;
  readonly signal: AbortSignal;
}

/** Requests from the API what the page will request, and writes the answers into the page up to the limits. */
class ReportWriter {
  readonly #parts: ReportParts;
  /** The page being written: answers go there at once, because together they take much memory. */
  #page: AtomicText | undefined;
  readonly #omitted: string[] = [];
  readonly #files: Record<string, string> = {};

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  async write(title: string | undefined, writtenAt: string): Promise<void> {
    const about = await this.#get<About>('/');
    const [account, stages] = [await this.#get<Account>(`${RUN}/account`), await this.#get<Stages>(`${RUN}/stages`)];
    const [run] = about.runs;
    if (!run || (run.works === 0 && run.documents === 0 && stages.items.length === 0))
      throw new AppError(
        'REPORT_NO_RUN',
        `${this.#parts.folder} is not a run folder, or the run has done nothing yet`,
        {
          hint: 'give the output folder of docstokg run, contentdownload or docparse parse',
        },
      );
    const shownTitle = title ?? run.title;
    const noscript = `${run.works} works, ${run.saved} full texts, ${run.documents} documents.`;
    const [before = '', after = ''] = await this.#frame(shownTitle, noscript);
    using page = new AtomicText(this.#parts.path);
    this.#page = page;
    page.write(before);
    this.#add('/', { ...about, runs: [{ ...run, title: shownTitle }] });
    this.#add(`${RUN}/account`, account);
    this.#add(`${RUN}/stages`, stages);
    for (const path of ['sources', 'hosts']) this.#add(`${RUN}/${path}`, await this.#get(`${RUN}/${path}`));
    await this.#works();
    const documents = await this.#documents();
    await this.#pictures(documents);
    if (run.has_graph) await this.#graph();
    const facts: ReportFacts = { written_at: writtenAt, omitted: this.#omitted, files: this.#files };
    this.#add('report', facts);
    page.write(after);
    await page.commit();
  }

  async #works(): Promise<void> {
    let [room, detailRoom, listed, detailed] = [this.#parts.limits.works, this.#parts.limits.workDetails, 0, 0];
    let total = 0;
    for await (const { items, total: all = 0 } of this.#pages<Work>(`${RUN}/works?limit=500`)) {
      total = all;
      // As text at once: a hundred thousand works would be copied several times.
      const [part, details]: [string[], string[]] = [[], []];
      for (const work of items) {
        const text = JSON.stringify(work);
        room -= text.length;
        if (room < 0) break;
        part.push(text);
        if (detailRoom <= 0) continue;
        const whole = JSON.stringify(await this.#get(`${RUN}/works/${encodeURIComponent(work.id)}`));
        detailRoom -= whole.length;
        if (detailRoom <= 0) continue;
        details.push(`${JSON.stringify(work.id)}:${whole}`);
        detailed += 1;
      }
      listed += part.length;
      if (part.length > 0) this.#addText('works', `[${part.join(',')}]`);
      if (details.length > 0) this.#addText('work details', `{${details.join(',')}}`);
      if (room < 0) break;
    }
    this.#omit(total - listed, 'works are counted but not listed');
    this.#omit(listed - detailed, 'works are listed without abstract and attempts');
  }

  /** Documents with structure and passages up to the limits; the rest are only listed. */
  async #documents(): Promise<WholeDocument[]> {
    const shown: WholeDocument[] = [];
    let [room, passageRoom] = [this.#parts.limits.structure, this.#parts.limits.passages];
    const lines: DocumentLine[] = [];
    let [unlisted, unshown, unsearched] = [0, 0, 0];
    for await (const { items } of this.#pages<DocumentLine>(`${RUN}/documents?limit=500`))
      for (const line of items) {
        if (lines.length >= this.#parts.limits.documents) {
          unlisted += 1;
          continue;
        }
        lines.push(line);
        const path = `${RUN}/documents/${encodeURIComponent(line.id)}`;
        try {
          const whole = room > 0 ? await this.#get<WholeDocument>(path) : undefined;
          room -= JSON.stringify(whole ?? '').length;
          if (whole && room > 0) {
            this.#add(path, whole);
            shown.push({ ...whole, blocks: [] });
          } else unshown += 1;
          const passages = passageRoom > 0 ? (await this.#get<Passages>(`${path}/passages`)).items : [];
          passageRoom -= JSON.stringify(passages).length;
          if (passageRoom > 0)
            this.#add('passages', passages.map((passage) => ({ ...passage, document: line.id }))); // prettier-ignore
          else unsearched += 1;
        } catch (error) {
          // Omit the whole document. The message may contain paths of this machine, so only the code is shown.
          this.#omitted.push(`${line.id} could not be read: ${errorInfo(error).code}`);
        }
        await this.#file(`${path}/file`);
      }
    this.#add('documents', lines);
    this.#omit(unlisted, 'documents are counted but not listed');
    this.#omit(unsearched, 'documents are not searched here; docstokg search finds them');
    this.#omit(unshown, 'documents are listed without their structure');
    return shown;
  }

  /** A link to a downloaded file, relative so that folder and report can be moved together. */
  async #file(path: string): Promise<void> {
    const answer = await this.#parts.router.get(path, this.#parts.signal).catch(() => undefined);
    if (answer?.kind !== 'file') return;
    const way = relative(realpathSync(dirname(this.#parts.path)), answer.path);
    this.#files[path] = `./${way.split(sep).map(encodeURIComponent).join('/')}`;
  }

  /** Page images: the first page of every document, then the second, and so on. */
  async #pictures(documents: readonly WholeDocument[]): Promise<void> {
    const drawable = documents.filter(({ kind }) => kind === 'pdf');
    const longest = Math.max(0, ...drawable.map(({ pages }) => pages.length));
    let [drawn, bytes] = [0, 0];
    for (let at = 0; at < longest; at += 1)
      for (const { id, pages } of drawable) {
        const page = pages[at];
        if (!page || drawn >= this.#parts.limits.pictures || bytes >= this.#parts.limits.pictureBytes) continue;
        this.#parts.signal.throwIfAborted();
        const path = `${RUN}/documents/${encodeURIComponent(id)}/pages/${page.number}.png`;
        const answer = await this.#parts.router
          .get(`${path}?width=${PICTURE_PIXELS}`, this.#parts.signal)
          .catch(() => undefined);
        if (answer?.kind !== 'bytes') continue;
        drawn += 1;
        bytes += answer.bytes.length;
        this.#page?.write(block(path, Buffer.from(answer.bytes)));
      }
    const all = drawable.reduce((sum, { pages }) => sum + pages.length, 0);
    this.#omit(all - drawn, 'pages are shown as recognised text, without a picture');
  }

  async #graph(): Promise<void> {
    try {
      const { items } = await this.#get<List<{ readonly id: string }>>(`${RUN}/graph/works?limit=1000`);
      let room = this.#parts.limits.graph;
      const shown = [];
      for (const work of items) {
        const path = `${RUN}/graph/picture?${new URLSearchParams({ node: work.id }).toString()}`;
        const picture = await this.#get(path);
        room -= JSON.stringify(picture).length;
        if (room < 0) break;
        this.#add(path, picture);
        shown.push(work);
      }
      this.#add(`${RUN}/graph/works`, { items: shown });
      this.#omit(
        items.length - shown.length,
        'works are not in the graph here; docstokg graph list neighbours has them',
      );
    } catch (error) {
      // A graph of another version must not prevent the report.
      if (!(error instanceof AppError)) throw error;
      this.#omitted.push(`the graph is not shown: ${error.message}`);
    }
  }

  async *#pages<T>(path: string): AsyncGenerator<List<T>> {
    for (let next: string | null = ''; next !== null;) {
      const page: List<T> = await this.#get<List<T>>(next === '' ? path : `${path}&cursor=${encodeURIComponent(next)}`);
      yield page;
      next = page.next;
      this.#parts.signal.throwIfAborted();
    }
  }

  async #get<T>(path: string): Promise<T> {
    const answer = await this.#parts.router.get(path, this.#parts.signal);
    if (answer.kind !== 'json') throw new Error(`${path} is not JSON`);
    return answer.value as T;
  }

  #add(path: string, value: unknown): void {
    this.#addText(path, JSON.stringify(value));
  }

  #addText(path: string, json: string): void {
    this.#page?.write(block(path, gzipSync(json)));
  }

  #omit(count: number, what: string): void {
    if (count > 0) this.#omitted.push(`${count.toLocaleString('en')} ${what}`);
  }

  /** The page before and after its answers. */
  async #frame(title: string, noscript: string): Promise<string[]> {
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
    return pageHtml({
      title: `${escapeHtml(title)} · DocsToKG`,
      head: `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>`,
      noscript: escapeHtml(`${title}: ${noscript}`),
      body: `${ANSWERS}<script>${script}</script>\n`,
    }).split(ANSWERS);
  }
}

const ANSWERS = '<!-- answers -->';

/** Data in a script element that browsers do not run; base64 cannot contain its end tag. */
function block(path: string, bytes: Buffer): string {
  return `<script type="text/plain" data-path="${escapeHtml(path)}">${bytes.toString('base64')}</script>\n`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
