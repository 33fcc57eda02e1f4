import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import PdfKit from 'pdfkit';
import { paragraphs } from '../sim/content/facts.ts';
import { renderHtml, renderJats, renderPdf, renderTei, truth, writePaper } from '../sim/content/index.ts';
import type { Layout, Paper } from '../sim/content/index.ts';
import { plainText } from '../sim/content/inline.ts';
import { sampleSpec } from '../test/fixtures/sample-spec.ts';

// What it costs to render a simulated paper, in CPU time: a world renders on request, so this bounds how fast it answers.
// The peer is pdfkit setting the paragraphs of the same papers itself, in one column, without tables, figures or truth.

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, check: { type: 'boolean' } },
});
const LAYOUTS: readonly Layout[] = ['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8'];
const papers = Array.from({ length: options.quick ? 12 : 60 }, (_unused, index) => writePaper(sampleSpec(index)));

async function measure(work: (paper: Paper) => unknown): Promise<number> {
  // Warm up for as long for everybody: caches of fonts and shaped words, and the compiler, settle within some sixty papers.
  for (let round = 0; round * papers.length < 60; round++) for (const paper of papers) await work(paper);
  const times: number[] = [];
  for (const paper of papers) {
    const start = process.cpuUsage();
    await work(paper);
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

async function pdfkitAlone(paper: Paper): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const document = new PdfKit({ size: 'LETTER', margin: 72 });
  document.on('end', resolve);
  document.resume();
  document.font('Times-Roman').fontSize(10.5);
  for (const { inlines } of paragraphs(paper)) document.text(plainText(inlines), { align: 'justify' });
  document.end();
  await promise;
}

const rows: Record<string, number> = { 'pdfkit alone, paragraphs only': await measure(pdfkitAlone) };
for (const layout of LAYOUTS) rows[`renderPdf ${layout}`] = await measure(async (paper) => renderPdf(paper, layout));
rows['truth L1'] = await measure((paper) => truth(paper, 'L1'));
rows['renderJats'] = await measure((paper) => renderJats(paper));
rows['renderTei'] = await measure(renderTei);
rows['renderHtml arxiv'] = await measure((paper) => renderHtml(paper, 'arxiv'));
rows['writePaper'] = await measure((paper) => writePaper(paper.spec));

const peer = rows['pdfkit alone, paragraphs only'] ?? 0;
// Pictures of pages are drawn dot by dot and may cost more.
const missed = LAYOUTS.filter((layout) => layout !== 'L7').filter(
  (layout) => (rows[`renderPdf ${layout}`] ?? 0) > peer,
);
const machine = { cpu: cpus()[0]?.model ?? '', node: process.version, papers: papers.length };
if (options.json) {
  console.log(
    JSON.stringify({
      machine,
      medianCpuMs: rows,
      target: 'each layout but L7 costs at most what pdfkit alone costs',
      missed,
    }),
  );
} else {
  console.log(
    `${machine.cpu}, Node ${machine.node}, ${String(machine.papers)} papers; median CPU ms per paper, and times pdfkit alone`,
  );
  for (const [name, time] of Object.entries(rows)) {
    console.log(`${name.padEnd(32)} ${time.toFixed(1).padStart(7)} ${(time / peer).toFixed(2).padStart(7)}`);
  }
  console.log(
    missed.length === 0
      ? 'target met: no text layout costs more than pdfkit alone'
      : `target missed: ${missed.join(', ')}`,
  );
}
process.exitCode = options.check && missed.length > 0 ? 1 : 0;
