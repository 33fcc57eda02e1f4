import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { parse } from 'yaml';

import { command } from './e2e/command.ts';
import { metricsPage } from '../scripts/reference/metrics.ts';

const ROOT = join(import.meta.dirname, '..');
const OPS = join(ROOT, 'examples', 'ops');
const read = (file: string): string => readFileSync(join(OPS, file), 'utf8');

/** Every metric that the program has, from the page that is made from its code. */
const METRICS = new Set([...metricsPage().matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name ?? ''));

function checkMetrics(expressions: readonly string[]): void {
  const named = expressions.flatMap((expression) => expression.match(/\bcontentdownload_\w+/g) ?? []);
  assert.ok(named.length > 0);
  for (const name of named) assert.ok(METRICS.has(name.replace(/_(bucket|sum|count)$/, '')), `there is no ${name}`);
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly expr: string; readonly annotations: Readonly<Record<string, string>> }[];
  }[];
}

test('alert rules use existing metrics, and promtool accepts them', (context) => {
  const { groups } = parse(read('alerts.yml')) as Rules;
  const rules = groups.flatMap((group) => group.rules);
  checkMetrics(rules.map(({ expr }) => expr));
  for (const { annotations } of rules) assert.ok(annotations['summary'] && annotations['description']);
  const promtool = (...parameters: string[]): ReturnType<typeof spawnSync> =>
    spawnSync('promtool', parameters, { cwd: OPS, encoding: 'utf8' });
  if (promtool('--version').error) {
    context.diagnostic('NOT TESTED with promtool, which is not installed here');
    return;
  }
  for (const check of [
    ['check', 'rules', 'alerts.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    const { status, stdout, stderr } = promtool(...check);
    assert.equal(status, 0, `${check.join(' ')}: ${String(stdout)}${String(stderr)}`);
  }
});

test('every metric in the dashboard exists', () => {
  const { panels } = JSON.parse(read('dashboard.json')) as {
    panels: { id: number; title: string; targets: { expr: string }[] }[];
  };
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  checkMetrics(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
});

test('the compose file runs three workers on one database, with existing settings', () => {
  const { services } = parse(read('compose.yaml')) as {
    services: Readonly<
      Record<string, { environment?: Record<string, string>; deploy?: { replicas: number }; entrypoint?: string[] }>
    >;
  };
  const { worker } = services;
  assert.equal(worker?.deploy?.replicas, 3);
  const env = Object.fromEntries(
    Object.entries(worker.environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{CONTACT:.*\}/, 'me@x.org'),
    ]),
  );
  const { status, stdout, stderr } = command('docstokg', ['config', 'show', '--json'], { env });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /postgres:\/\/\*\*\*@database\/docs/);
  checkOptions(worker.entrypoint?.at(-1) ?? '');
});

test('the systemd unit starts an existing command, and systemd accepts it', (context) => {
  const unit = read('docstokg-worker@.service');
  checkOptions(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '');
  const { error, stderr } = spawnSync('systemd-analyze', ['verify', join(OPS, 'docstokg-worker@.service')], {
    encoding: 'utf8',
  });
  if (error) context.diagnostic('NOT TESTED with systemd-analyze, which is not installed here');
  // The program is not installed where this is checked; anything else is a fault of the unit.
  else assert.doesNotMatch(stderr, /docstokg-worker@.*(?!is not executable)(Unknown|Failed|Invalid|ignoring)/);
});

/** Whether `docstokg queue run` has the options that a line names. */
function checkOptions(line: string): void {
  assert.match(line, /docstokg queue run /);
  const { stdout } = command('docstokg', ['queue', 'run', '--help']);
  for (const [option] of line.matchAll(/--[\w-]+/g)) assert.ok(stdout.includes(option), `queue run has no ${option}`);
}
