import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { BIN, INLINE } from './bin.ts';

/** Runs a program of examples/ in a folder and tells what it wrote. */
export type RunProgram = (parameters: readonly string[], folder: string) => string;

/** How each program in examples/ that uses the library is run, in a folder of its own, and what must come of it. */
export const LIBRARY_EXAMPLES: Readonly<Record<string, (run: RunProgram, folder: string) => void>> = {
  'corpus-in-code.ts': (run, folder) => {
    writePapers(folder);
    const lines = run(['papers', 'do corals recover?'], folder).split('\n');
    assert.equal(lines[0], '2 papers, 2 passages');
    assert.match(lines.slice(1).join(' '), /^Reefs: .*Bleached corals recover/);
  },
  'ai-sdk.ts': (run, folder) => {
    makeCorpus(folder);
    const printed = run(['corpus', 'do corals recover?'], folder);
    assert.match(printed, /document: 'reefs',\s+title: 'Reefs',[\s\S]*Bleached corals recover/);
  },
  'langchain-loader.ts': (run, folder) => {
    makeCorpus(folder);
    assert.match(run(['corpus'], folder), /^Fractures: \d{3} characters\nReefs: \d{3} characters\n$/);
  },
  'langchain-retriever.ts': (run, folder) => {
    makeCorpus(folder);
    assert.match(run(['corpus', 'do corals recover?'], folder), /^Reefs: Reefs\n\nBleached corals recover/);
  },
  'notebook.ts': (run, folder) => {
    writePapers(folder);
    const printed = run(['papers'], folder);
    assert.match(printed, /'doctags stage-ended': 1/);
    assert.match(printed, /\n1 \d+\.\d\d Reefs/);
    assert.match(printed, /\nreefs \d+ Reefs\s+Bleached corals recover/);
  },
  'own-stage.ts': (run, folder) => {
    const [texts, counts] = [join(folder, 'texts'), join(folder, 'counts')];
    mkdirSync(texts);
    writeFileSync(join(texts, 'one.txt'), 'to be or not to be');
    writeFileSync(join(texts, 'two.txt'), 'the rest is silence');
    assert.deepEqual(run([texts, counts], folder).trim().split('\n').sort(), ['one.txt success', 'two.txt success']);
    assert.deepEqual(JSON.parse(readFileSync(join(counts, 'one.txt.json'), 'utf8')), { to: 2, be: 2, or: 1, not: 1 });
    assert.match(run([texts, counts], folder), /one\.txt skip/, 'the second run has nothing left to do');
  },
  'pgvector.ts': (run, folder) => {
    makeCorpus(folder, { DOCSTOKG_PARSE__DENSE: 'embedded' });
    const [first, second] = run(['corpus', 'do corals recover?'], folder).split('\n');
    assert.equal(first, '1.00 reefs');
    assert.match(second ?? '', /^0\.\d\d fractures$/);
  },
  'queue-in-code.ts': (run, folder) => {
    const first = run([join(folder, 'queue.sqlite')], folder);
    assert.match(first, /^year:1953 attempt 1\n/, 'the highest priority runs first');
    assert.match(first, /4 done, 0 failed; the queue holds 4 done in all\n$/);
    assert.match(run([join(folder, 'queue.sqlite')], folder), /^0 done, 0 failed; the queue holds 4 done in all\n$/);
  },
};

/** Runs a program file; by words alone, so that no model is loaded, unless `env` says otherwise. */
export function runProgram(file: string, env: Readonly<Record<string, string>> = {}): RunProgram {
  return (parameters, folder) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...parameters], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        DOCSTOKG_PARSE__DENSE: 'none',
        DOCSTOKG_PARSE__OCR: 'off',
        DOCSTOKG_STAGE__WORKERS: '1',
        NO_COLOR: '1',
        ...env,
      },
    });
    assert.equal(status, 0, stderr);
    return stdout;
  };
}

/** Corpora that were made before, by their settings. */
const made = new Map<string, string>();

/** A corpus of the two papers, in `corpus`. */
export function makeCorpus(folder: string, env: Readonly<Record<string, string>> = {}): void {
  const key = JSON.stringify(env);
  const before = made.get(key);
  if (before !== undefined && existsSync(before)) {
    cpSync(before, join(folder, 'corpus'), { recursive: true });
    return;
  }
  writePapers(folder);
  runProgram(join(BIN, 'docstokg'), { ...INLINE, ...env })(['run', '--input', 'papers', '--out', 'corpus'], folder);
  made.set(key, join(folder, 'corpus'));
}

function writePapers(folder: string): void {
  mkdirSync(join(folder, 'papers'));
  const papers = [
    ['Reefs', 'Bleached corals recover within a decade where fishing is banned.'],
    ['Fractures', 'Vitamin D supplements did not prevent hip fractures in this trial.'],
  ] as const;
  for (const [title, sentence] of papers)
    writeFileSync(
      join(folder, 'papers', `${title.toLowerCase()}.html`),
      `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${`${sentence} `.repeat(6)}</p></body></html>`,
    );
}
