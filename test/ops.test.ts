import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { parse, parseAllDocuments } from 'yaml';

import { command } from './e2e/command.ts';
import { metricsPage } from '../scripts/reference/from-sources.ts';
import { skipWithout } from './support/programs.ts';

const ROOT = join(import.meta.dirname, '..');
const OPS = join(ROOT, 'examples', 'ops');
const read = (file: string): string => readFileSync(join(OPS, file), 'utf8');

/** Every metric of the program, from the generated reference page. */
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

test('alert rules use existing metrics', () => {
  const { groups } = parse(read('alerts.yml')) as Rules;
  const rules = groups.flatMap((group) => group.rules);
  checkMetrics(rules.map(({ expr }) => expr));
  for (const { annotations } of rules) assert.ok(annotations['summary'] && annotations['description']);
});

test('promtool accepts the alert rules', { skip: skipWithout('promtool') }, () => {
  for (const check of [
    ['check', 'rules', 'alerts.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', check, { cwd: OPS, encoding: 'utf8' });
    assert.equal(status, 0, `${check.join(' ')}: ${stdout}${stderr}`);
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
  const { status, stdout, stderr } = command('docstokg', ['config', '--json'], { env });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /postgres:\/\/\*\*\*@database\/docs/);
  checkOptions(worker.entrypoint?.at(-1) ?? '');
});

test('the systemd unit starts an existing command', () => {
  const unit = read('docstokg-worker@.service');
  checkOptions(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '');
});

test('systemd accepts the unit', { skip: skipWithout('systemd-analyze') }, () => {
  const { stderr } = spawnSync('systemd-analyze', ['verify', join(OPS, 'docstokg-worker@.service')], {
    encoding: 'utf8',
  });
  // The program is not installed here; any other complaint is an error in the unit.
  assert.doesNotMatch(stderr, /docstokg-worker@.*(?!is not executable)(Unknown|Failed|Invalid|ignoring)/);
});

interface Pod {
  readonly spec: {
    readonly containers: readonly [
      { readonly command: readonly string[]; readonly env: readonly { name: string; value: string }[] },
    ];
  };
}

test('the fleet compose file and the Kubernetes manifest use existing settings and options', () => {
  const { services } = parse(read('fleet-compose.yaml'), { merge: true }) as {
    services: Readonly<
      Record<string, { environment: Record<string, string>; deploy?: { replicas: number }; entrypoint: string[] }>
    >;
  };
  assert.equal(services['worker']?.deploy?.replicas, 3);
  checkFleet(services['worker'].environment, services['worker'].entrypoint.at(-1) ?? '', 'run');
  checkFleet(
    services['answers']?.environment ?? {},
    services['answers']?.entrypoint.join(' ') ?? '',
    'store /data/corpus --pull',
  );

  const [first, more] = parseAllDocuments(read('kubernetes.yaml')).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS() as {
      spec: { template?: Pod; jobTargetRef?: { template: Pod }; triggers?: { metadata: { query: string } }[] };
    };
  });
  for (const pod of [first?.spec.template, more?.spec.jobTargetRef?.template]) {
    const [container] = pod?.spec.containers ?? [];
    assert.ok(container);
    const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    checkFleet({ ...env, AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' }, container.command.join(' '), 'run');
  }
  assert.match(more?.spec.triggers?.[0]?.metadata.query ?? '', /docstokg\.runs WHERE state = 'queued'/);
});

test('the Slurm script is valid bash, and its options exist', () => {
  const { status, stderr } = spawnSync('bash', ['-n', join(OPS, 'slurm.sh')], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  for (const [line, stage = ''] of read('slurm.sh').matchAll(/^ *docparse (\w+) .*$/gm))
    checkOptions(line.replace(/\|\|.*/, ''), 'docparse', [stage]);
});

/** Checks that the settings of a fleet are valid and the options of its command exist. */
function checkFleet(environment: Readonly<Record<string, string>>, line: string, name: string): void {
  const env = Object.fromEntries(
    Object.entries(environment).map(([key, value]) => [key, value.replace(/\$\{CONTACT:.*\}/, 'me@x.org')]),
  );
  const { status, stdout, stderr } = command('docstokg', ['config', '--json'], { env });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /"fleet": ?true|queue\.fleet/);
  assert.match(line, new RegExp(`docstokg ${name} `));
  checkOptions(line, 'docstokg', name.split(' '));
}

/** Checks that the options of a command line exist. */
function checkOptions(line: string, door: 'docstokg' | 'docparse' = 'docstokg', words = ['queue', 'run']): void {
  assert.match(line, new RegExp(`${door} ${words.join(' ')} `));
  const { stdout } = command(door, [...words, '--help']);
  for (const [option] of line.matchAll(/--[\w-]+/g))
    assert.ok(stdout.includes(option), `${words.join(' ')} has no ${option}`);
}
