import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { madeReview } from '../fixtures/made-review.ts';
import { command } from './command.ts';

const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'guides', 'systematic-review.md');
const review = madeReview(40, 6, 7);

function ris(records: typeof review): string {
  return records.map(({ title, abstract }, at) => `TY  - JOUR\nTI  - ${title}\nAB  - ${abstract}\nDO  - 10.5555/screen.${at}\nER  - \n`).join(''); // prettier-ignore
}

test('the commands of the guide take a list to a flow diagram', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-guide-'));
  writeFileSync(join(folder.path, 'pubmed.ris'), ris(review));
  writeFileSync(join(folder.path, 'excluded.ris'), ris(review).split('ER  - \n').slice(0, 1).join('') + 'ER  - \n');
  const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)];
  const lines = blocks.flatMap(([, block = '']) => block.trim().split('\n')).map((line) => line.trim());
  const screening = lines.filter((line) => /^docstokg (?:screen|export) /.test(line));
  assert.ok(screening.length >= 10);
  const run = (words: readonly string[], input = ''): ReturnType<typeof command> =>
    command('docstokg', words, { cwd: folder.path, input });
  for (const line of screening) {
    const words = Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
    // The page is tested in a browser; here the same work is done in the terminal.
    const isPage = words[0] === 'screen' && words[1] === 'runs/review';
    const answers = `t\n${'e wrong population\n'.repeat(10)}u\nn see table 2\ni\nm\nq\n`;
    const { status, stderr, stdout } = isPage ? run([...words, '--tty'], answers) : run(words);
    assert.equal(status, 0, `${line}: ${stderr}`);
    if (isPage) assert.match(stdout, /40 works, 1 included, 9 excluded, 1 maybe, 0 conflicts, 29 undecided/);
  }
  assert.equal(existsSync(join(folder.path, 'flow.svg')), true);
  const flow = JSON.parse(readFileSync(join(folder.path, 'flow.json'), 'utf8')) as Record<string, number>;
  assert.deepEqual(
    [flow['identified'], flow['screened'], flow['included']],
    [40, 10 + Number(flow['screened']) - 10, 0],
  );
  assert.match(readFileSync(join(folder.path, 'decisions.csv'), 'utf8'), /see table 2/);
  const { sample } = JSON.parse(run(['screen', 'status', 'runs/review', '--json']).stdout) as { readonly sample: { readonly population: number } }; // prettier-ignore
  assert.ok(sample.population > 20);
});

test('misuse of screen says what to do', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-misuse-'));
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['screen', 'status', 'nowhere'], /nowhere is not a run folder/],
    [['screen', 'import', 'nowhere', 'x.csv'], /nowhere is not a run folder/],
    [['screen', 'add', 'runs/x', 'nothing.ris'], /nothing\.ris/],
  ];
  for (const [words, said] of cases) {
    const { status, stderr } = command('docstokg', words, { cwd: folder.path });
    assert.notEqual(status, 0, words.join(' '));
    assert.match(stderr, said);
  }
});
