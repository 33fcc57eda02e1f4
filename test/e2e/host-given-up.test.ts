import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { openStore } from '../../src/queue/index.ts';
import { openLoopback } from '../../src/testing/index.ts';
import { startCommand } from './started-command.ts';

const PDF =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n9\n%%EOF\n';

test('a host with a Retry-After of a year is reported, other plans are tried, and the next run says why', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-given-up-'));
  await using server = await openLoopback(({ host, url }, response) => {
    if (host === 'busy.example.org') response.writeHead(503, { 'retry-after': '31536000' }).end();
    else if (host === 'good.example.org' && url !== '/robots.txt') response.end(PDF);
    else response.writeHead(404).end();
  });
  const works = [
    { doi: '10.5555/one', url: 'http://busy.example.org/1.pdf' },
    { doi: '10.5555/two', url: 'http://busy.example.org/2.pdf', pdf_url: 'http://good.example.org/2.pdf' },
  ];
  writeFileSync(join(folder.path, 'works.jsonl'), works.map((work) => JSON.stringify(work)).join('\n'));
  const run = async (): Promise<{ readonly summary: Record<string, unknown>; readonly stderr: string }> => {
    await using started = startCommand(
      'contentdownload',
      ['--input', 'works.jsonl', '--out', 'out', '--mailto', 'anna@docstokg.dev', '--json'],
      {
        cwd: folder.path,
        env: {
          DOCSTOKG_DOWNLOAD__PRESET: 'fast',
          DOCSTOKG_HTTP__DNS: JSON.stringify({ '*.example.org': `127.0.0.1:${server.port}` }),
          DOCSTOKG_HTTP__ALLOW: `127.0.0.1:${server.port}`,
          DOCSTOKG_SERVICES__BELOW: 'services.example.org',
        },
      },
    );
    const { code } = await started.ended;
    assert.equal(code, 1, started.stderr);
    return { summary: JSON.parse(started.stdout) as Record<string, unknown>, stderr: started.stderr };
  };
  const first = await run();
  assert.deepEqual([first.summary['saved'], first.summary['failed'], first.summary['parked']], [1, 1, 0]);
  assert.deepEqual(first.summary['by_reason'], { 'host-given-up': 1 });
  assert.match(first.stderr, /busy\.example\.org is rate-limited until 20\d\d-.*given up for this run/);
  await sameReasonEverywhere(join(folder.path, 'out'), { work: '10.5555/one', reason: 'host-given-up' });
  const second = await run();
  assert.deepEqual(second.summary['ended_before'], { 'host-given-up': 1 });
  assert.match(String(second.summary['given_up']), /busy\.example\.org is rate-limited until/);
  assert.equal(server.requests.filter(({ host }) => host === 'busy.example.org').length, 1, 'one request in both runs');
});

/** The reason of a work is the same in every file and query. */
async function sameReasonEverywhere(out: string, { work, reason }: { work: string; reason: string }): Promise<void> {
  const code = reason.toUpperCase().replaceAll('-', '_');
  const read = (name: string): string => readFileSync(join(out, name), 'utf8');
  const row =
    read('manifest.jsonl')
      .split('\n')
      .find((line) => line.includes(`"doi":"${work}"`)) ?? '{}';
  const { reason: written, detail } = JSON.parse(row) as { reason: string; detail: string };
  assert.equal(written, reason);
  const [names = '', ...lines] = read('manifest.csv').split('\r\n');
  assert.ok(names.split(',').includes('detail'));
  assert.ok(lines.some((line) => line.includes(reason) && line.includes(detail.slice(0, 40))));
  assert.equal((JSON.parse(read('manifest.summary.json')) as { reasons: Record<string, number> }).reasons[reason], 1);
  await using store = await openStore(join(out, 'state', 'workqueue.sqlite'));
  const { byErrorCode } = await store.admin.stats(Date.now());
  assert.deepEqual(
    byErrorCode.map(({ code: counted, jobs }) => [counted, jobs]),
    [[code, 1]],
  );
  const [listed, ...others] = await store.admin.list({ errorCode: code }, { limit: 10 });
  assert.ok(listed?.artifactId.includes(work) && others.length === 0);
  assert.equal(await store.admin.requeue({ states: ['error', 'skipped'], errorCode: code }, 0, { dryRun: true }), 1);
}
