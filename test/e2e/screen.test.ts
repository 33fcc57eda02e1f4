import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin, DEFAULT_POLICY, expectedOutcome } from '../../sim/index.ts';
import { madeReview } from '../fixtures/made-review.ts';
import { INLINE } from '../support/bin.ts';
import { openWorld, PATIENCE, readManifest } from '../support/harvest.ts';
import { command, refusedCommand } from './command.ts';
import { startCommand } from './started-command.ts';

const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'guides', 'systematic-review.md');
const review = madeReview(40, 6, 7);
/** Vectors are slow to compute and tested elsewhere. */
const WORDS_ONLY = { ...PATIENCE, ...INLINE, DOCSTOKG_PARSE__DENSE: 'none', DOCSTOKG_PARSE__TOKENIZER: 'cl100k' };

function ris(records: typeof review, dois: readonly string[] = []): string {
  return records.map(({ title, abstract }, at) => `TY  - JOUR\nTI  - ${title}\nAB  - ${abstract}\nDO  - ${dois[at] ?? `10.5555/screen.${at}`}\nER  - \n`).join(''); // prettier-ignore
}

test('the commands of the guide take lists to a flow diagram', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-guide-'));
  const world = { works: 120, hosts: 6, seed: 14, profile: 'calm', timeScale: 0.05, documents: 'plain', workers: 4 } as const; // prettier-ignore
  await using simulation = await openWorld(world);
  await using admin = await Admin.open(simulation);
  const dois = expectedOutcome(simulation.world, DEFAULT_POLICY).flatMap(({ work, outcome }) => outcome === 'saved' && work.doi !== null ? [work.doi] : []); // prettier-ignore
  assert.ok(dois.length >= review.length);
  writeFileSync(join(folder.path, 'pubmed.ris'), ris(review, dois));
  writeFileSync(join(folder.path, 'embase.ris'), ris(review.slice(0, 5), dois));
  writeFileSync(join(folder.path, 'excluded.ris'), ris(review.slice(0, 1), dois));
  const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)];
  const lines = blocks.flatMap(([, block = '']) => block.trim().split('\n')).map((line) => line.trim());
  assert.ok(lines.length >= 14);
  const printed: string[] = [];
  for (const line of lines) {
    const words = Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
    if (words[0] === 'run') {
      // The simulated web answers in this process.
      await using run = startCommand('docstokg', [...words.map((word) => word.replace('you@', 'ada@')), '--sim', admin.url], { cwd: folder.path, env: WORDS_ONLY }); // prettier-ignore
      assert.equal((await run.ended).code, 0, `${line}: ${run.stderr}`);
      continue;
    }
    // The page is tested in a browser; here decisions are made in the terminal.
    const isScreened = words[0] === 'screen' && words[1] === 'runs/review';
    const input = line.includes('--phase full-text') ? 'e 2\n' : line.includes('--tty') ? 'q\n' : `t\n${'e wrong population\n'.repeat(10)}u\nn see table 2\ni\nm\nq\n`; // prettier-ignore
    const more = isScreened && !/--(?:tty|status|sample)/.test(line) ? ['--tty'] : [];
    const { status, stderr, stdout } = command('docstokg', [...words, ...more], { cwd: folder.path, input });
    assert.equal(status, 0, `${line}: ${stderr}`);
    printed.push(stdout);
  }
  assert.match(printed.join(''), /11 of 40 decided: 1 included, 9 excluded, 1 maybe/);
  assert.match(printed.join(''), /Random sample: 0 of 29 read, 0 included; .* Read 29 more/);
  assert.equal(readManifest(join(folder.path, 'runs', 'review')).size, 1, 'only the included work was downloaded');
  assert.equal(existsSync(join(folder.path, 'flow.svg')), true);
  const flow = JSON.parse(readFileSync(join(folder.path, 'flow.json'), 'utf8')) as Record<string, unknown>;
  assert.deepEqual(
    [flow['identified'], flow['removed_before_screening']],
    [45, { unreadable_entries: 0, duplicates: 5 }],
  );
  assert.equal(Number(flow['screened']) + Number(flow['not_screened']), 40);
  assert.deepEqual([flow['excluded_by_full_text'], flow['excluded_by_full_text_reasons'], flow['included']], [1, { 'no outcome': 1 }, 0]); // prettier-ignore
  assert.match(readFileSync(join(folder.path, 'decisions.csv'), 'utf8'), /see table 2/);
});

test('every entry of a list is a work, a duplicate, or refused with its reason', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-entries-'));
  const run = (...words: readonly string[]): { readonly stdout: string; readonly stderr: string } => {
    const { status, stdout, stderr } = command('docstokg', words, { cwd: folder.path });
    assert.equal(status, 0, `${words.join(' ')}: ${stderr}`);
    return { stdout, stderr };
  };
  // Exports of different databases have the same file name.
  const lists = ['pubmed', 'embase'].map((name) => {
    mkdirSync(join(folder.path, name));
    writeFileSync(join(folder.path, name, 'export.ris'), `TY  - JOUR\nTI  - Whales of ${name}\nER  - \nTY  - JOUR\nTI  - Squid in both\nER  - \n`); // prettier-ignore
    return `${name}/export.ris`;
  });
  writeFileSync(join(folder.path, 'list.txt'), '10.5555/a\nA reference to a study of krill\n978-3-16-148410-0\n');
  const { stdout, stderr } = run('screen', 'runs/x', '--add', ...lists, 'list.txt');
  assert.match(stdout, /7 entries read, 5 works to screen/);
  assert.match(stderr, /list\.txt, line 3: "978-3-16-148410-0" is not a recognised identifier/);
  run('screen', 'runs/x', '--add', ...lists, 'list.txt');
  const flow = JSON.parse(run('export', 'runs/x', '--format', 'prisma').stdout) as Record<string, unknown>;
  assert.deepEqual(
    [flow['identified'], flow['removed_before_screening'], flow['not_screened']],
    [7, { unreadable_entries: 1, duplicates: 1 }, 5],
  );
  assert.match(run('work-versions', 'runs/x').stdout, /no works have several versions/);
});

test('invalid screen arguments are refused with the reason', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-misuse-'));
  writeFileSync(join(folder.path, 'list.ris'), ris(review));
  writeFileSync(join(folder.path, 'list.docx'), '');
  command('docstokg', ['screen', 'runs/review', '--add', 'list.ris'], { cwd: folder.path });
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['screen', 'nowhere', '--status'], /nowhere does not exist/],
    [['screen', 'nowhere', '--import', 'x.csv'], /nowhere does not exist/],
    [['screen', 'runs/x', '--add', 'nothing.ris'], /there is no file nothing\.ris/],
    [['screen', 'runs/x', '--add', '.'], /there is no file \./],
    [['screen', 'runs/x', '--add', 'list.docx'], /unknown file format: list\.docx/],
    [['screen', 'runs/review', '--import', '.'], /there is no file \./],
    [['screen', 'runs/review', '--status', '--reviewers', '0'], /expected 1 to 10 reviewers/],
    [['screen', import.meta.filename, '--add', 'nothing.ris'], /is a file, not a run folder/],
  ];
  for (const [words, message] of cases) {
    const { status, stderr } = await refusedCommand('docstokg', words, folder.path);
    assert.equal(status, 2, words.join(' '));
    assert.match(stderr, message);
  }
  assert.equal(existsSync(join(folder.path, 'runs', 'x')), false, 'a refused list leaves no run behind');
});

test('the link printed by screen opens the page, and decisions are accepted there', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-link-'));
  writeFileSync(join(folder.path, 'list.ris'), ris(review));
  assert.equal(command('docstokg', ['screen', 'runs/review', '--add', 'list.ris'], { cwd: folder.path }).status, 0);
  await using server = startCommand('docstokg', ['screen', 'runs/review', '--by', 'Ada Berg', '--port', '0'], { cwd: folder.path }); // prettier-ignore
  await server.printed(/Ctrl-C stops it/);
  const link = new URL(server.stdout.trim());
  assert.deepEqual([link.pathname, link.searchParams.get('by')], ['/screen', 'Ada Berg']);
  const page = await fetch(link, { redirect: 'manual' });
  assert.equal(new URL(page.headers.get('location') ?? '', link).searchParams.get('by'), 'Ada Berg');
  const headers = {
    authorization: `Bearer ${link.searchParams.get('token') ?? ''}`,
    'content-type': 'application/json',
  };
  const api = new URL('/api/v1/runs/review/screening', link);
  const asked = await fetch(`${api.href}?by=ada`, { headers });
  const { next } = (await asked.json()) as { readonly next: readonly { readonly work: string }[] };
  const body = JSON.stringify({ work: next[0]?.work, decision: 'include', by: 'ada' });
  const decided = await fetch(`${api.href}/decide`, { method: 'POST', headers, body });
  assert.equal(decided.status, 200);
  assert.match(readFileSync(join(folder.path, 'runs', 'review', 'decisions.jsonl'), 'utf8'), /"decision":"include","by":"ada"/); // prettier-ignore
});

test('run downloads only what screening included', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-run-'));
  const world = { works: 40, hosts: 6, seed: 12, profile: 'calm', timeScale: 0.05, documents: 'plain', workers: 4 } as const; // prettier-ignore
  await using simulation = await openWorld(world);
  await using admin = await Admin.open(simulation);
  const saved = expectedOutcome(simulation.world, DEFAULT_POLICY).flatMap(({ work, outcome }) => outcome === 'saved' && work.doi !== null ? [work.doi] : []).slice(0, 5); // prettier-ignore
  assert.equal(saved.length, 5);
  const listed = saved.map((doi) => `TY  - JOUR\nTI  - About ${doi}\nAB  - Text\nDO  - ${doi}\nER  - \n`);
  writeFileSync(join(folder.path, 'list.ris'), listed.join(''));
  writeFileSync(join(folder.path, 'decided.csv'), `doi,included\n${saved[0] ?? ''},1\n${saved[1] ?? ''},0\n${saved[2] ?? ''},1\n`); // prettier-ignore
  const run = async (...words: readonly string[]): Promise<string> => {
    await using started = startCommand('docstokg', words, { cwd: folder.path, env: WORDS_ONLY });
    const { code } = await started.ended;
    assert.equal(code, 0, `${words.join(' ')}: ${started.stderr}`);
    return started.stdout;
  };
  await run('screen', 'runs/review', '--add', 'list.ris');
  {
    await using early = startCommand('docstokg', ['run', '--out', 'runs/review', '--works', 'included', '--sim', admin.url], { cwd: folder.path, env: WORDS_ONLY }); // prettier-ignore
    await early.ended;
    assert.match(early.stderr, /USAGE_WORKS no works are "included" here/);
  }
  await run('screen', 'runs/review', '--import', 'decided.csv');
  const tried = (): string[] => [...readManifest(join(folder.path, 'runs', 'review')).values()].map(({ work }) => work).toSorted(); // prettier-ignore
  const wanted = [saved[0], saved[2]].map((doi) => `doi:${doi ?? ''}`).toSorted();
  await run('run', '--out', 'runs/review', '--works', 'included', '--sim', admin.url, '--mailto', 'a@b.example');
  assert.deepEqual(tried(), wanted);
  // With the list the result is the same, and the other works wait to be screened.
  await run('run', '--out', 'runs/review', '--input', 'list.ris', '--works', 'included', '--sim', admin.url, '--mailto', 'a@b.example'); // prettier-ignore
  assert.deepEqual(tried(), wanted);
  const flow = JSON.parse(await run('export', 'runs/review', '--format', 'prisma')) as Record<string, number>;
  assert.deepEqual([flow['identified'], flow['screened'], flow['not_screened'], flow['sought'], flow['retrieved'], flow['not_assessed'], flow['included']], [5, 3, 2, 2, 2, 2, 0]); // prettier-ignore
  assert.equal((await run('export', 'runs/review', '--format', 'bibtex', '--works', 'included')).match(/^@/gm)?.length, 2); // prettier-ignore
});

test('included entries without an id are looked up by title, and each counts once, in any order of commands', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'screen-titles-'));
  const world = { works: 40, hosts: 6, seed: 12, profile: 'calm', timeScale: 0.05, documents: 'plain', workers: 4 } as const; // prettier-ignore
  await using simulation = await openWorld(world);
  await using admin = await Admin.open(simulation);
  const [work] = expectedOutcome(simulation.world, DEFAULT_POLICY).flatMap((each) => each.outcome === 'saved' && each.work.doi !== null ? [each.work] : []); // prettier-ignore
  assert.ok(work);
  const entry = (title: string, more = ''): string => `TY  - JOUR\nTI  - ${title}\n${more}ER  - \n`;
  const found = entry(work.title, `PY  - ${work.year}\n`);
  writeFileSync(join(folder.path, 'titles.ris'), `${found}${entry('Squid of the open sea')}`);
  const run = async (...words: readonly string[]): Promise<string> => {
    await using started = startCommand('docstokg', words, { cwd: folder.path, env: WORDS_ONLY });
    await started.ended;
    return started.stdout;
  };
  const flow = async (name: string): Promise<unknown[]> => {
    const counts = JSON.parse(await run('export', `runs/${name}`, '--format', 'prisma')) as Record<string, unknown>;
    return ['identified', 'screened', 'sought', 'retrieved', 'not_retrieved_by_reason'].map((field) => counts[field]);
  };
  const web = ['--sim', admin.url, '--mailto', 'a@b.example'];
  const counted = [2, 2, 2, 1, { 'title-unknown': 1 }];

  await run('screen', 'runs/first', '--add', 'titles.ris');
  await run('screen', 'runs/first', '--import', 'titles.ris', '--as', 'include');
  await run('run', '--out', 'runs/first', '--works', 'included', ...web);
  assert.deepEqual(await flow('first'), counted);
  await run('run', '--out', 'runs/first', '--input', 'titles.ris', ...web);
  await run('screen', 'runs/first', '--add', 'titles.ris');
  assert.deepEqual(await flow('first'), counted, 'the same list again');

  await run('run', '--out', 'runs/second', '--input', 'titles.ris', ...web);
  await run('screen', 'runs/second', '--add', 'titles.ris');
  await run('screen', 'runs/second', '--import', 'titles.ris', '--as', 'include');
  assert.deepEqual(await flow('second'), counted);
});
