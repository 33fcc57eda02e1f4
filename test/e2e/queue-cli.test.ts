import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { openStore, WorkQueue } from '../../src/queue/index.ts';
import { command } from './command.ts';
import { startCommand } from './started-command.ts';
import { skipWithout } from '../support/programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const HANDLER = join(ROOT, 'test', 'fixtures', 'queue-handler.ts');
const OLD_NODE = '/usr/bin/node';

async function openQueue(folder: string): Promise<WorkQueue> {
  return new WorkQueue(await openStore(join(folder, 'state', 'workqueue.sqlite'), { timeoutMs: 240_000 }));
}

/** A folder with a queue, and the commands that use it. */
async function place() {
  const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-cli-'));
  const queue = (...parameters: string[]) => command('contentdownload', ['queue', ...parameters], { cwd: folder.path });
  return {
    path: folder.path,
    queue,
    json: (...parameters: string[]): Record<string, unknown> => {
      const { stdout, stderr } = queue(...parameters, '--json');
      assert.notEqual(stdout, '', stderr);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    /** Opens the queue without a command, which is faster. */
    job: async (id: string) => {
      await using queue = await openQueue(folder.path);
      const job = await queue.store.admin.find(id);
      assert.ok(job, `${id} exists`);
      return job;
    },
    put: async (jobs: Readonly<Record<string, { readonly resolver?: string; readonly [field: string]: unknown }>>) => {
      await using queue = await openQueue(folder.path);
      await queue.bulkImport(
        Object.entries(jobs).map(([artifactId, { resolver, ...payload }]) => ({
          artifactId,
          payload,
          resolverHint: resolver,
        })),
      );
    },
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

test('lines become jobs by their id, doi, url or content; bad lines are reported by number, the rest is imported, exit 1', async () => {
  await using at = await place();
  const lines = [
    '{"artifact_id":"own","artifact":{"n":1},"resolver_hint":"arxiv","priority":7}',
    '{"id":42}',
    '{"doi":"https://doi.org/10.1000/ABC"}',
    'no json',
    '{"url":"https://Example.org:443/a.pdf"}',
    '{"title":"only content","year":1900}',
    '{"year":1900,"title":"only content"}',
    '[1]',
    '{"artifact":{}}',
    '{"id":"x","priority":1.5}',
    '',
  ];
  writeFileSync(join(at.path, 'jobs.jsonl.gz'), gzipSync(lines.join('\n')));
  const { status, stdout, stderr } = at.queue('import', 'jobs.jsonl.gz');
  assert.equal(status, 1);
  assert.equal(stdout, '5 added, 1 already known, 4 bad\n');
  for (const line of [4, 8, 9, 10]) assert.match(stderr, new RegExp(`line ${line}: `));
  const listed = at
    .queue('list', '--json')
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    listed.map((job) => job['artifact_id']).map((id) => String(id).replace(/^(sha256:[0-9a-f]{8}).*/, '$1…')),
    [
      'own',
      '42',
      'doi:10.1000/abc',
      'url:https://Example.org:443/a.pdf',
      'sha256:' + String(listed[4]?.['artifact_id']).slice(7, 15) + '…',
    ],
  );
  assert.deepEqual(
    [listed[0]?.['priority'], listed[0]?.['resolver_hint'], listed[3]?.['host']],
    [7, 'arxiv', 'example.org'],
  );
});

test('a limit stops an import, stdin works like a file, and a missing file is reported', async () => {
  await using at = await place();
  const input = Array.from({ length: 5 }, (_, n) => JSON.stringify({ id: n })).join('\n');
  const limited = command('contentdownload', ['queue', 'import', '-', '--limit', '2', '--json'], {
    cwd: at.path,
    input,
  });
  assert.deepEqual(JSON.parse(limited.stdout), { added: 2, known: 0, bad: 0, bad_lines: [] });
  const rest = command('contentdownload', ['queue', 'enqueue', '-i', '-'], { cwd: at.path, input });
  assert.equal(rest.stdout, '3 added, 2 already known, 0 bad\n');
  const missing = at.queue('import', 'nowhere.jsonl');
  assert.deepEqual([missing.status, missing.stdout], [1, '']);
  assert.match(missing.stderr, /^error IMPORT_UNREADABLE nowhere\.jsonl .*\nhint {2}/);
});

test('a job is enqueued once, shown, cancelled, exported and imported elsewhere', async () => {
  await using at = await place();
  assert.equal(at.queue('enqueue', 'a', '{"n":1}', '--priority', '-3', '--resolver', 'arxiv').stdout, 'added a\n');
  assert.deepEqual(at.json('enqueue', 'a'), { artifact_id: 'a', added: false });
  const job = at.json('list', 'a');
  assert.deepEqual(
    [job['artifact'], job['state'], job['priority'], job['resolver_hint']],
    [{ n: 1 }, 'queued', -3, 'arxiv'],
  );
  assert.deepEqual(at.json('list', '1'), job, 'also by its number');
  assert.match(at.queue('list', 'a').stdout, /^artifact id +a$/m);

  const { stdout: exported } = at.queue('list', '--export', '--state', 'queued');
  const elsewhere = join(at.path, 'other.sqlite');
  const imported = command('docstokg', ['queue', 'import', '-', '--queue', elsewhere], {
    cwd: at.path,
    input: exported,
  });
  assert.equal(imported.stdout, '1 added, 0 already known, 0 bad\n');
  const copy = at.json('list', 'a', '--queue', elsewhere);
  assert.deepEqual(
    [copy['artifact'], copy['state'], copy['priority'], copy['resolver_hint']],
    [{ n: 1 }, 'queued', -3, 'arxiv'],
  );

  assert.equal(at.queue('cancel', 'a').stdout, 'cancelled a\n');
  assert.deepEqual(
    [(await at.job('a')).state, (await at.job('a')).lastError],
    ['skipped', 'CANCELLED: cancelled by an operator'],
  );
  const again = at.queue('cancel', 'a');
  assert.deepEqual([again.status, again.stdout], [1, 'a has already ended (skipped)\n']);
  const unknown = at.queue('list', 'nobody', '--json');
  assert.deepEqual(
    [unknown.status, (JSON.parse(unknown.stderr) as { error: { code: string } }).error.code],
    [1, 'JOB_UNKNOWN'],
  );
});

test('a drained run ends every job with its outcome, prints the counts, and exits 1 if one failed; stats show why', async () => {
  await using at = await place();
  await at.put({ d: {}, s: { act: 'skip', resolver: 'arxiv' }, e: { act: 'error' }, l: { act: 'later' } });
  const run = at.queue('run', '--drain-now', '--workers', '2', '--handler', HANDLER, '--json');
  assert.equal(run.status, 1, run.stderr);
  const { left, ...ended } = JSON.parse(run.stdout) as { left: Record<string, unknown> };
  assert.deepEqual(ended, { done: 1, skipped: 1, error: 1, requeued: 1, lost: 0, reason: 'drained' });
  assert.deepEqual([left['due'], left['delayed'], left['codes']], [0, 1, { HTTP_429: 1 }]);

  const stats = at.json('stats');
  assert.deepEqual(
    [stats['queued'], stats['in_progress'], stats['done'], stats['skipped'], stats['error'], stats['total']],
    [1, 0, 1, 1, 1, 4],
  );
  assert.deepEqual(
    [stats['due'], stats['delayed'], stats['workers'], stats['leases'], stats['pauses']],
    [0, 1, [], [], []],
  );
  assert.deepEqual(
    new Set((stats['by_error_code'] as { code: string; state: string }[]).map(({ code, state }) => `${code} ${state}`)),
    new Set(['ROBOTS skipped', 'HTTP_404 error', 'HTTP_429 queued']),
  );
  assert.equal(at.queue('stats', '--format', 'json').stdout, `${JSON.stringify(stats)}\n`);
  const table = at.queue('stats').stdout;
  assert.match(table, /^error +1$/m);
  assert.match(table, /^HTTP_404 +error +1$/m);
  assert.match(table, /^arxiv +skipped +1$/m);

  // The delayed job keeps its attempt; only the failed one is requeued by its code.
  assert.equal((await at.job('l')).attempts, 0);
  assert.deepEqual(at.json('retry', '--error-code', 'HTTP_404', '--dry-run'), {
    requeued: 0,
    matching: 1,
    dry_run: true,
  });
  const again = at.queue('retry-failed', '--error-code', 'HTTP_404');
  assert.equal(again.stdout, '1 failed job requeued\n');
  assert.match(again.stderr, /no active workers; start one: docstokg queue run --queue \S+|the same docstokg run/);
  assert.match(at.queue('stats').stderr, /no active workers; start one: docstokg queue run --queue \S+$/m);
  assert.equal((await at.job('e')).attempts, 0);
});

test('queue drain empties the queue, and retry-failed --max-attempts 3 requeues jobs that failed three times', async () => {
  await using at = await place();
  await at.put({ t: {} });
  {
    await using queue = await openQueue(at.path);
    const lastError = { code: 'HTTP_500', message: 'broken' };
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const [job] = await queue.lease('w', 1);
      assert.ok(job);
      await queue.failAndRetry(job, { backoffMs: 0, maxAttempts: 3, lastError });
    }
  }
  await at.put({ d: {} });
  const drained = at.queue('drain', '--handler', HANDLER);
  assert.deepEqual([drained.status, drained.stdout], [0, 'drained: 1 done, 0 skipped, 0 failed\n'], drained.stderr);
  assert.deepEqual([(await at.job('t')).state, (await at.job('t')).attempts], ['error', 3]);
  const fewer = at.queue('retry-failed', '--max-attempts', '2');
  assert.equal(fewer.stdout, '0 failed jobs requeued\n');
  assert.match(fewer.stderr, /1 failed job does not match; queue list --state error shows it/);
  assert.equal(at.queue('retry-failed', '--max-attempts', '3').stdout, '1 failed job requeued\n');
  assert.equal((await at.job('t')).attempts, 0);
});

test('a job that throws is retried later, its message cannot control the terminal, and finished jobs are pruned by age', async () => {
  await using at = await place();
  await at.put({ t: { act: 'throw' }, d: {} });
  const run = at.queue('run', '--drain-now', '--handler', HANDLER, '--log-level', 'debug');
  assert.equal(run.status, 0, run.stderr);
  assert.match(
    run.stdout,
    /^drained: 1 done, 0 skipped, 0 failed, 1 requeued\nleft in the queue\ndue +0\ndelayed +1\ncodes +HTTP_500 1\nnext at +in .*\n$/,
  );
  const shown = at.queue('list', 't').stdout;
  assert.match(shown, /HTTP_500: the server broke/);
  assert.ok(!(shown + run.stderr).includes('\u001B'), 'no escape sequence gets through');
  assert.match(at.queue('list', '--state', 'queued').stdout, /t +queued +1 +HTTP_500: the server broke/);
  assert.deepEqual(at.json('prune', '--older-than', '0s', '--dry-run'), { pruned: 0, matching: 1, dry_run: true });
  assert.equal(at.queue('prune', '--older-than', '1h').stdout, '0 jobs removed\n');
  assert.equal(at.queue('prune', '--older-than', '0s', '--state', 'done').stdout, '1 job removed\n');
  assert.equal(at.queue('enqueue', 'd').stdout, 'added d\n', 'a pruned id may be added again');
});

test('stats of an empty queue show counts and no time left', async () => {
  await using at = await place();
  assert.equal(at.queue('drain', '--handler', HANDLER).status, 0);
  const { stdout } = at.queue('stats');
  assert.match(stdout, /^total +0$/m);
  assert.doesNotMatch(stdout, /left/);
  assert.equal(at.json('stats')['left_seconds'], 0);
});

test('misuse is reported on stderr with exit code 2 and changes nothing', async () => {
  await using at = await place();
  const misuses: [string[], RegExp][] = [
    [['explode'], /unknown command 'explode'/],
    [['list', '--limit', 'many'], /'many' is invalid\. expected an integer/],
    [
      ['run', '--handler', HANDLER, '--workers', '0'],
      /orchestrator\.max_workers = 0: .*from 1 to 256 \(option --workers\)/,
    ],
    [['enqueue', 'a', '{'], /'\{' is invalid for argument 'json'\. not JSON .*quote it for the shell/],
    [['enqueue'], /USAGE_ENQUEUE give either an id or --input/],
    [['enqueue', 'a', '--input', 'jobs.jsonl'], /USAGE_ENQUEUE/],
    [
      ['pause', '--host', 'a.org', '--resolver', 'arxiv'],
      /'--host <host>' cannot be used with option '--resolver <name>'/,
    ],
    [['prune', '--older-than', 'long'], /'long' is invalid\. expected a number and a unit/],
    [['stats', '--queue', 'typo.sqlite'], /USAGE_QUEUE queue not found: typo\.sqlite/],
    [['pause', '--queue', 'typo.sqlite'], /USAGE_QUEUE queue not found: typo\.sqlite/],
    // Without a handler jobs are works to download, which needs a contact address.
    [['run'], /CONTACT_MISSING/],
  ];
  for (const [parameters, expected] of misuses) {
    const { status, stdout, stderr } = at.queue(...parameters);
    assert.deepEqual([status, stdout], [2, ''], `${parameters.join(' ')}: ${stderr}`);
    assert.match(stderr, expected);
    assert.doesNotMatch(stderr, /^ {4}at /m, 'no stack trace');
  }
  assert.ok(!existsSync(join(at.path, 'typo.sqlite')), 'a misspelt queue is not created');
  const unloadable = at.queue('run', '--handler', 'nowhere.ts');
  assert.equal(unloadable.status, 1);
  assert.match(unloadable.stderr, /HANDLER_UNLOADABLE/);
});

test('settings are shown with their origin, without passwords in URLs', () => {
  const env = { DOCSTOKG_QUEUE__URL: 'postgres://me:hush@db.example/docs', DOCSTOKG_ORCHESTRATOR__MAX_WORKERS: '3' };
  const { status, stdout } = command('docstokg', ['config'], { env });
  assert.equal(status, 0);
  assert.match(stdout, /^orchestrator\.max_workers +3 +environment variable DOCSTOKG_ORCHESTRATOR__MAX_WORKERS$/m);
  assert.match(stdout, /^queue\.url +"postgres:\/\/me:\*\*\*@db\.example\/docs"/m);
  assert.doesNotMatch(stdout, /hush/);
});

test('a running process obeys pause and resume from another, for everything and for one host', async () => {
  await using at = await place();
  await at.put({ warm: {} });
  await using run = startCommand('contentdownload', ['queue', 'run', '--handler', HANDLER], { cwd: at.path });
  await run.printed(/started warm/);
  const pause = at.queue('pause', '--host', 'Held.example');
  assert.deepEqual([pause.status, pause.stdout], [0, 'host held.example paused\n']);
  assert.match(pause.stderr, /host held\.example is unknown.*check the spelling/);
  await run.printed(/paused: host held\.example/);
  // The job of the paused host is older, and would otherwise run first.
  await at.put({ held: { url: 'https://held.example/a' }, free: { url: 'https://free.example/a' } });
  await run.printed(/started free/);
  assert.doesNotMatch(run.stderr, /started held/);
  assert.deepEqual(at.json('resume', '--host', 'held.example'), {
    scope: 'host',
    name: 'held.example',
    changed: true,
    known: true,
  });
  await run.printed(/started held/);

  assert.equal(at.queue('pause').stdout, 'everything paused\n');
  await run.printed(/paused: all/);
  await at.put({ late: {} });
  assert.match(at.queue('stats').stdout, /pauses\nscope +since\nall +\d/);
  assert.doesNotMatch(run.stderr, /started late/);
  assert.equal(at.queue('resume').stdout, 'everything resumed\n');
  await run.printed(/started late/);
  assert.match(run.stderr, /nothing is paused/);
  run.kill('SIGTERM');
  assert.deepEqual(await run.ended, { code: 143, signal: null });
});

test('--drain reports paused jobs and waits for resume; --drain-now leaves them', async () => {
  await using at = await place();
  await at.put({ waiting: { url: 'https://held.example/a' } });
  const pause = at.queue('pause', '--host', 'held.example');
  assert.doesNotMatch(pause.stderr, /nobody knows/);
  const held = at.queue('run', '--handler', HANDLER, '--drain-now');
  assert.deepEqual(
    [held.status, held.stdout.split('\n')],
    [
      0,
      [
        'drained: 0 done, 0 skipped, 0 failed',
        'left in the queue',
        'due      1',
        'delayed  0',
        'paused   host held.example',
        '',
        'hosts',
        'host          jobs  why',
        'held.example     1  paused: queue resume --host',
        '',
      ],
    ],
  );
  const [host] = JSON.parse(at.queue('stats', '--hosts', '--json').stdout) as Record<string, unknown>[];
  assert.deepEqual([host?.['name'], host?.['held_why'], host?.['cap']], ['held.example', 'paused', 4]);
  assert.match(at.queue('stats', '--hosts').stdout, /^held\.example +host +4 .* paused .* due 1$/m);
  at.queue('resume', '--host', 'held.example');
  at.queue('pause');
  const now = at.queue('run', '--handler', HANDLER, '--drain-now');
  assert.match(now.stdout, /^drained: .*\nleft in the queue\ndue +1\ndelayed +0\npaused +everything\n$/);
  assert.match(now.stderr, /paused: all; its jobs stay queued/);
  await using run = startCommand('contentdownload', ['queue', 'run', '--drain', '--handler', HANDLER], {
    cwd: at.path,
  });
  await run.printed(/paused: all; its jobs wait until queue resume/);
  assert.doesNotMatch(run.stderr, /started waiting/);
  at.queue('resume');
  assert.deepEqual(await run.ended, { code: 0, signal: null });
  assert.match(run.stderr, /started waiting/);
});

test('Ctrl-C requeues running jobs and exits 130; SIGHUP does the same with 129', async () => {
  await using at = await place();
  await at.put({ w: { act: 'wait' } });
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const) {
    await using run = startCommand('contentdownload', ['queue', 'run', '--drain', '--handler', HANDLER], {
      cwd: at.path,
      env: { DOCSTOKG_ORCHESTRATOR__SHUTDOWN_GRACE_SECONDS: '0' },
    });
    await run.printed(/started w, attempt 1/);
    run.kill(signal);
    assert.deepEqual(await run.ended, { code, signal: null }, run.stderr);
    assert.equal(run.stdout, 'stopped: 0 done, 0 skipped, 0 failed, 1 requeued\n');
    const job = await at.job('w');
    assert.deepEqual([job.state, job.attempts, job.workerId], ['queued', 0, null]);
  }
});

test('a run shows progress; a second Ctrl-C exits immediately, and the next run takes over the job without waiting for its lease', async () => {
  await using at = await place();
  await at.put({ i: { act: 'ignore' } });
  {
    await using run = startCommand('contentdownload', ['queue', 'run', '--handler', HANDLER], { cwd: at.path });
    await run.printed(/started i, attempt 1/);
    await run.printed(/^0 done {2}1 running {2}0 queued/m);
    run.kill('SIGINT');
    await run.printed(/SIGINT: finishing running jobs/);
    run.kill('SIGINT');
    assert.deepEqual(await run.ended, { code: 130, signal: null });
    assert.doesNotMatch(run.stderr, /^ {4}at /m);
  }
  assert.equal((await at.job('i')).state, 'in_progress');
  await using next = startCommand('contentdownload', ['queue', 'run', '--handler', HANDLER], { cwd: at.path });
  // A crash is not counted as an attempt: most jobs did not cause it.
  await next.printed(/started i, attempt 1/);
});

test('a closed pipe ends an export quietly, and a missing reader does not end a run', async () => {
  await using at = await place();
  await at.put(Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`job ${n}`, { filler: 'x'.repeat(100) }])));
  await using exporting = startCommand('contentdownload', ['queue', 'list', '--export'], { cwd: at.path });
  exporting.hangUp('stdout');
  assert.deepEqual(await exporting.ended, { code: 0, signal: null });
  assert.equal(exporting.stderr, '');

  await using run = startCommand('contentdownload', ['queue', 'run', '--drain', '--handler', HANDLER], {
    cwd: at.path,
  });
  await run.printed(/started job/);
  run.hangUp('stderr');
  run.hangUp('stdout');
  assert.deepEqual(await run.ended, { code: 0, signal: null });
  assert.equal(at.json('stats')['done'], 3_000);
});

test('commands that read a queue create none, and name the worker command of the one they read', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-reading-'));
  const queue = (...words: string[]) => command('contentdownload', ['queue', ...words], { cwd: folder.path });
  for (const words of [['stats'], ['list'], ['retry-failed'], ['pause'], ['cancel', 'x']]) {
    const { status, stderr } = queue(...words);
    assert.deepEqual([status, existsSync(join(folder.path, 'state'))], [2, false], words.join(' '));
    assert.match(stderr, /USAGE_QUEUE queue not found: .*workqueue\.sqlite/);
  }
  assert.equal(queue('enqueue', 'a', '--queue', 'my jobs.sqlite').status, 0);
  const { stderr } = queue('stats', '--queue', 'my jobs.sqlite');
  assert.match(stderr, /no active workers; start one: docstokg queue run --queue 'my jobs\.sqlite'/);
});

const noTerminal = { skip: skipWithout('script') };
test('colours are used only in terminals, and never with NO_COLOR or --no-color', noTerminal, async () => {
  await using at = await place();
  await at.put({ a: {} });
  // Node shows no colours where CI is set.
  const { NO_COLOR: _none, FORCE_COLOR: _nor, CI: _ci, ...environment } = process.env;
  const inTerminal = (more: string, env: Record<string, string> = {}): string =>
    spawnSync(
      'script',
      ['-qec', `"${process.execPath}" "${join(ROOT, 'bin', 'docstokg')}" queue stats ${more}`, '/dev/null'],
      {
        cwd: at.path,
        encoding: 'utf8',
        env: { ...environment, TERM: 'xterm-256color', ...env },
      },
    ).stdout;
  assert.ok(inTerminal('').includes('\u001B[1mby resolver'));
  assert.ok(!inTerminal('', { NO_COLOR: '1' }).includes('\u001B[1m'));
  assert.ok(!inTerminal('--no-color').includes('\u001B[1m'));
});

test('the bash completion script completes commands and options', { skip: process.platform === 'win32' }, () => {
  const script = command('docstokg', ['completion', 'bash']).stdout;
  const complete = (...words: string[]): string[] =>
    spawnSync(
      'bash',
      [
        '-c',
        `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _docstokg_complete; echo "\${COMPREPLY[@]}"`,
        'bash',
        ...words,
      ],
      {
        encoding: 'utf8',
      },
    )
      .stdout.trim()
      .split(' ');
  assert.deepEqual(complete('docstokg', 'qu'), ['queue']);
  assert.deepEqual(complete('docstokg', 'queue', 'st'), ['stats']);
  assert.deepEqual(complete('/anywhere/docstokg', 'queue', 'run', '--drain'), ['--drain', '--drain-now']);
  const powershell = command('docstokg', ['completion', 'powershell']).stdout;
  assert.match(powershell, /^Register-ArgumentCompleter -Native -CommandName docstokg -ScriptBlock \{\n/);
  assert.match(powershell, /\n {4}'docstokg queue stats' = '[^']*--watch[^']*'\n/);
  const unknown = command('docstokg', ['completion', 'tcsh']);
  assert.deepEqual([unknown.status, unknown.stdout], [2, '']);
});

test('an old Node starts the Node of the package and returns its exit code, or says what to install', async (context) => {
  const [major = 0, minor = 0] = existsSync(OLD_NODE)
    ? spawnSync(OLD_NODE, ['--version'], { encoding: 'utf8' }).stdout.slice(1).split('.').map(Number)
    : [];
  if (major < 18 || major > 24 || (major === 24 && minor >= 12)) {
    context.skip(`NOT TESTED: there is no Node between 18 and 24.12 at ${OLD_NODE}`);
    return;
  }
  const old = (bin: string, ...parameters: string[]) => spawnSync(OLD_NODE, [bin, ...parameters], { encoding: 'utf8' });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  for (const door of ['docstokg', 'contentdownload', 'docparse']) {
    const { status, stdout } = old(join(ROOT, 'bin', door), '--version');
    assert.deepEqual([status, stdout], [0, `${version}\n`]);
  }
  assert.equal(old(join(ROOT, 'bin', 'docstokg'), 'queue', 'explode').status, 2);
  await using elsewhere = await mkdtempDisposable(join(tmpdir(), 'docstokg-launcher-'));
  cpSync(join(ROOT, 'bin'), join(elsewhere.path, 'bin'), { recursive: true });
  const alone = old(join(elsewhere.path, 'bin', 'docstokg'), '--version');
  assert.equal(alone.status, 1);
  assert.match(alone.stderr, /^docstokg: Node \S+ is too old; install Node 24\.12 or newer \(in a clone: npm ci\)\n$/);
});
