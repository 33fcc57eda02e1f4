import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { packageRoot } from '../src/base/index.ts';
import { checkOptions } from '../test/support/options.ts';

// npm run scoreboard [-- --only parsing,screening]
// Runs the scorers and writes what they print into docs/scoreboard.md, with date and command. Parts that are not run keep
// what was measured before. Nothing is typed in by hand.

/** A part of the board: what is compared with what, and the command whose output it is. */
export interface Part {
  readonly name: string;
  /** What is compared, on which data, and how to read it; also what it says against us. */
  readonly about: string;
  /** After `npm run -s`. */
  readonly command: string;
  /** Its output is Markdown; other output is shown as it is printed. */
  readonly isMarkdown?: boolean;
}

export const PARTS: readonly Part[] = [
  {
    name: 'Parsing',
    about: `Papers as PDF, with their truth from LaTeX (*pdf*) and from the publishers' own XML (*pmc*). Other programs write Markdown, so only what Markdown can say is compared: neither titles, captions and references, nor reading order across pages. The best of a column is bold. Our rules were made on papers of these kinds, and those of the others were not: the last table has only papers of publishers that nobody looked at. Layout models that need a GPU are not here: on pages of other kinds they are better (README).`,
    command: 'score:peers',
    isMarkdown: true,
  },
  {
    name: 'Retrieval',
    about: `Classic collections with known answers, nDCG at ten: by words (BM25), by meaning (the embedder of this program) and by both, as \`search\` does. No larger embedder was compared; they are better by meaning.`,
    command: 'score:retrieval --collections cranfield',
  },
  {
    name: 'Answers and refusal',
    about: `Questions whose answering sentence is known, and questions that no paper answers, without a language model. A strong language model that reads the same passages answers more questions in other words (“other”): this is the weakest part.`,
    command: 'score:understanding --half kept-aside',
  },
  {
    name: 'Screening',
    about: `Real systematic reviews with their decisions; ATD is how much of a list is read on average until a relevant record is found, less is better. *peer* is the default model of ASReview 2 (ELAS u4), trained again in the same run.`,
    command: 'score:screening --starts 5 --stops 20',
  },
  {
    name: 'Harvest',
    about: `A simulated web with the limits of real hosts: the time taken as a multiple of the least time that those limits allow, and rules broken.`,
    command: 'bench harvest -- --quick',
  },
];

const HEAD = `# Scoreboard

What the program reaches, beside others in their best setting on the same data and machine. \`npm run scoreboard\` writes this page: each part is the output of its command. The data is not in the clone, because its licences differ; a scorer without its data says so and exits with 2. [Measurements](measurements.md) has more figures, and how they came about.
`;

const FILE = join(packageRoot(), 'docs', 'scoreboard.md');

/** The page with these parts replaced; others stay as they are. */
export function boardWith(before: string, made: ReadonlyMap<string, string>): string {
  const old = new Map(
    before
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.split('\n')[0] ?? '', part] as const),
  );
  const parts = PARTS.map(({ name, about, command }) => {
    const kept = /^Measured [\s\S]*/m.exec(old.get(name) ?? '')?.[0].trim();
    const results = made.get(name) ?? kept ?? 'Not measured yet.';
    return `## ${name}\n\n${about}\n\n\`npm run ${command.includes(' -- ') ? command : command.replace(' ', ' -- ')}\`\n\n${results}\n`;
  });
  return [HEAD, ...parts].join('\n');
}

/** What a command printed, with when and where. */
export function resultsOf(
  { isMarkdown = false }: Part,
  output: string,
  { date, machine }: { date: string; machine: string },
): string {
  const text = output.trim();
  return `Measured ${date}, ${machine}.\n\n${isMarkdown ? text : `\`\`\`text\n${text}\n\`\`\``}`;
}

if (import.meta.main) {
  const { only } = checkOptions({ only: '' });
  const wanted = only.split(',').filter((name) => name !== '');
  const chosen = PARTS.filter(
    ({ name }) => wanted.length === 0 || wanted.some((each) => name.toLowerCase().startsWith(each)),
  );
  const made = new Map<string, string>();
  let failed = 0;
  for (const part of chosen) {
    const [script = '', ...parameters] = part.command.split(' ');
    const run = [
      'run',
      '-s',
      script,
      ...(parameters.includes('--') || parameters.length === 0 ? [] : ['--']),
      ...parameters,
    ];
    console.error(`npm ${run.join(' ')}`);
    const machine = `${process.platform} ${process.arch}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(0)}, Node ${process.versions.node}`;
    const about = { date: new Date().toISOString().slice(0, 10), machine };
    const options = { cwd: packageRoot(), maxBuffer: 1 << 26, shell: process.platform === 'win32' };
    try {
      made.set(part.name, resultsOf(part, (await promisify(execFile)('npm', run, options)).stdout, about));
    } catch (error) {
      const { code, stdout = '', message } = error as { code?: number; stdout?: string; message: string };
      // A missed target exits with 1, and is shown like the others; what measured nothing leaves its part as it was.
      if (code === 1 && stdout.trim() !== '') made.set(part.name, resultsOf(part, stdout, about));
      failed += 1;
      console.error(`${part.name}: ${message}`);
    }
    writeFileSync(FILE, boardWith(existsSync(FILE) ? readFileSync(FILE, 'utf8') : '', made));
  }
  process.exitCode = failed === 0 ? 0 : 1;
}
