// Measures the identity check of downloaded PDFs on published papers: how often it rejects the right paper, how often
// it accepts a wrong one, and its CPU time.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { DocumentFacts } from '../src/download/index.ts';
import { faultOf } from '../src/download/index.ts';
import { PdfInspector } from '../src/parse/index.ts';
import type { Work } from '../src/works/index.ts';
import { namedWork, NO_IDS } from '../src/works/index.ts';
import { nothingMeasured, OPEN_PAPERS } from './score/data.ts';
import { childCpuSeconds } from '../bench/kit.ts';

const LOOKS = ['quick', 'close'] as const;
type Look = (typeof LOOKS)[number];
const SETS = ['pmc', 'classes', 'pdf'];

interface Paper {
  readonly path: string;
  readonly work: Work;
  readonly facts: Record<Look, DocumentFacts>;
}

if (!existsSync(OPEN_PAPERS)) nothingMeasured('the papers are not next to the clone');

function workOf(folder: string, id: string): Work | undefined {
  const truth = JSON.parse(readFileSync(join(folder, `${id}.truth.json`), 'utf8')) as {
    readonly blocks: readonly { readonly kind: string; readonly text?: string }[];
  };
  const title = truth.blocks.find(({ kind }) => kind === 'title')?.text;
  const jats = join(folder, `${id}.jats.xml`);
  const head = existsSync(jats) ? readFileSync(jats, 'utf8').slice(0, 20_000) : '';
  const doi = /<article-id pub-id-type="doi">([^<]+)</.exec(head)?.[1] ?? null;
  if (title === undefined) return undefined;
  return namedWork(id, { ...NO_IDS, doi }, { title });
}

const cpu = Object.fromEntries(LOOKS.map((look) => [look, 0])) as Record<Look, number>;
const papers: readonly Paper[] = SETS.flatMap((set) =>
  readdirSync(join(OPEN_PAPERS, set))
    .filter((name) => name.endsWith('.pdf'))
    .flatMap((name) => {
      const work = workOf(join(OPEN_PAPERS, set), name.slice(0, -4));
      return work ? [{ path: join(OPEN_PAPERS, set, name), work, facts: {} as Paper['facts'] }] : [];
    }),
);
for (const look of LOOKS) {
  const before = process.cpuUsage();
  const childrenBefore = childCpuSeconds();
  {
    using inspector = new PdfInspector();
    for (const { path, facts } of papers) facts[look] = await inspector.glance(path, 'pdf', look);
  }
  // CPU time of a process is known only after it has exited.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { user, system } = process.cpuUsage(before);
  cpu[look] = ((user + system) / 1e6 + childCpuSeconds() - childrenBefore) / papers.length;
}

for (const withDoi of [true, false]) {
  const asked = { right: 0, refused: 0, wrong: 0, kept: 0, quick: 0, close: 0 };
  for (const paper of papers)
    for (const { work } of papers) {
      const isRight = work === paper.work;
      // Some papers exist in more than one layout.
      if (!isRight && work.title === paper.work.title) continue;
      let last: Look = 'quick';
      const fault = await faultOf(withDoi ? work : { ...work, ids: NO_IDS }, (look) => {
        last = look;
        return Promise.resolve(paper.facts[look]);
      });
      asked[isRight ? 'right' : 'wrong'] += 1;
      if (isRight) asked[last] += 1;
      if (isRight && fault !== undefined) asked.refused += 1;
      if (!isRight && fault === undefined) asked.kept += 1;
      if (isRight ? fault !== undefined : fault === undefined)
        process.stdout.write(`  ${paper.work.id} asked for ${work.id}: ${fault ?? 'kept'}\n`);
    }
  process.stdout.write(
    `${withDoi ? 'title and DOI' : 'title alone'}: ${asked.refused} of ${asked.right} right ones refused, ` +
      `${asked.kept} of ${asked.wrong} wrong ones kept; right ones known by a quick look ${asked.quick}, a close one ${asked.close}\n`,
  );
}
process.stdout.write(
  `CPU per look: ${LOOKS.map((look) => `${look} ${(cpu[look] * 1000).toFixed(1)} ms`).join(', ')}\n`,
);
