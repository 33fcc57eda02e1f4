// npm run verify:mcp: runs the official conformance suite against the MCP server, in both versions of the protocol. The suite
// is fetched from npm. Checks that need the suite's own tools or prompts are counted separately; access is tested in serve.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

import { openCorpus } from '../../src/corpus/index.ts';
import { createMcp } from '../../src/mcp/index.ts';
import { askedRun } from '../../src/questions/index.ts';
import { writeSmallRun } from '../../test/fixtures/small-run.ts';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
/** Scenarios that ask the same of every server; the others call tools that only a server of the suite's has. */
const SCENARIOS = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list'],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'caching',
    'http-header-validation',
  ],
} as const;

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

await using folder = await mkdtempDisposable(join(tmpdir(), 'verify-mcp-'));
await writeSmallRun(join(folder.path, 'reefs'));
await using corpus = await openCorpus(join(folder.path, 'reefs'));
await using run = askedRun('reefs', corpus, () => undefined);
await using mcp = createMcp({ runs: [run], version: '0' });
const server = createServer((request, response) => {
  void (async () => {
    const body = await buffer(request);
    const answer = await mcp.fetch(
      new Request(`http://127.0.0.1${request.url ?? '/'}`, {
        method: request.method ?? 'GET',
        headers: request.headers as Record<string, string>,
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) await pipeline(Readable.fromWeb(answer.body as never), response);
    else response.end();
  })().catch((error: unknown) => response.destroy(error as Error));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

let failed = 0;
for (const [version, scenarios] of Object.entries(SCENARIOS))
  for (const scenario of scenarios) {
    const out = join(folder.path, `${version}-${scenario}`);
    const parameters = ['--yes', SUITE, 'server', '--url', url, '--scenario', scenario, '--spec-version', version];
    const child = spawn('npx', [...parameters, '-o', out], { stdio: 'ignore' });
    await once(child, 'close');
    const checks = readdirSync(out).flatMap(
      (name) => JSON.parse(readFileSync(join(out, name, 'checks.json'), 'utf8')) as Check[],
    );
    const judged = checks.filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE');
    const lost = judged.filter(({ status }) => status === 'FAILURE');
    const apart = lost.filter(
      ({ id, errorMessage = '' }) => /not testable/i.test(errorMessage) || id.includes('prompts'),
    );
    const wrong = lost.filter((check) => !apart.includes(check));
    failed += wrong.length;
    console.log(
      `${version} ${scenario}: ${judged.length - lost.length} of ${judged.length - apart.length} passed${apart.length > 0 ? `, ${apart.length} not testable here` : ''}`,
    );
    for (const { id, errorMessage } of wrong) console.log(`  ✕ ${id}: ${errorMessage ?? ''}`);
    if (judged.length === 0) failed += 1;
  }
server.close();
server.closeAllConnections();
process.exitCode = failed === 0 ? 0 : 1;
