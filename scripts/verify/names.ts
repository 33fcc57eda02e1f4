import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openLoopback } from '../../src/testing/index.ts';
import { startCommand } from '../../test/e2e/started-command.ts';
import { checkOptions } from '../../test/support/options.ts';

// npm run verify:names -- [--dead 60] [--good 150] [--workers 32] [--within 2.5]
// Downloads from hosts with working DNS and from hosts whose DNS server never answers. Exit 1 if a work of a working host
// is not downloaded, or if the process exits later than --within seconds after its last manifest row.

const given = checkOptions({ dead: 60, good: 150, workers: 32, within: 2.5 });
const { dead, good } = given;

const PDF =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n9\n%%EOF\n';

await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-names-'));
/** A DNS server that never answers. */
const silent = createSocket('udp4');
let asked = 0;
silent.on('message', () => (asked += 1));
silent.bind(0, '127.0.0.1');
await once(silent, 'listening');
await using web = await openLoopback(({ host, url }, response) => {
  if (url === '/robots.txt') response.writeHead(404).end();
  else response.end(`${PDF}% ${host}`);
});
const work = (host: string, at: number): string =>
  JSON.stringify({ doi: `10.5555/${host}.${at}`, url: `http://${host}/${at}.pdf` });
const lines = [
  ...Array.from({ length: dead }, (_, at) => work(`dead${at}.example.net`, at)),
  ...Array.from({ length: good }, (_, at) => work(`good${at}.example.org`, at)),
];
writeFileSync(join(folder.path, 'works.jsonl'), lines.join('\n'));
/** Makes the silent server the DNS server of the child process. */
const dns = `import dns from 'node:dns'; import { syncBuiltinESMExports } from 'node:module';
for (const part of [dns, dns.promises]) {
  const { Resolver } = part;
  part.Resolver = class extends Resolver {
    constructor(...given) { super(...given); this.setServers(['127.0.0.1:${silent.address().port}']); }
  };
}
syncBuiltinESMExports();`;
const startedAt = performance.now();
await using run = startCommand(
  'contentdownload',
  [
    '--input',
    'works.jsonl',
    '--out',
    'out',
    '--workers',
    String(given.workers),
    '--mailto',
    'anna@docstokg.dev',
    '--json',
  ],
  {
    cwd: folder.path,
    env: {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(dns)}`,
      DOCSTOKG_DOWNLOAD__PRESET: 'fast',
      DOCSTOKG_ORCHESTRATOR__MAX_JOB_ATTEMPTS: '1',
      DOCSTOKG_HTTP__DNS: JSON.stringify({ '*.example.org': `127.0.0.1:${web.port}` }),
      DOCSTOKG_HTTP__ALLOW: `127.0.0.1:${web.port}`,
      DOCSTOKG_SERVICES__BELOW: 'services.example.org',
    },
  },
);
const { code } = await run.ended;
const endedAt = Date.now();
silent.close();
const rows = readFileSync(join(folder.path, 'out', 'manifest.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { outcome: string; reason: string; at: string });
const saved = rows.filter(({ outcome }) => outcome === 'saved').length;
const reasons = Object.entries(Object.groupBy(rows, ({ reason }) => reason)).map(
  ([why, of = []]) => `${why} ${of.length}`,
);
const lastAt = Math.max(...rows.map(({ at }) => Date.parse(at)));
const lingered = (endedAt - lastAt) / 1000;
const isRight = saved === good && lingered <= given.within && asked > 0;
console.log(
  [
    isRight ? 'ok  ' : 'DIFF',
    `${saved} of ${good} works of good hosts downloaded next to ${dead} names without an answer (${reasons.join(', ')})`,
    `${asked} DNS queries unanswered`,
    `exit ${code}, ended ${lingered.toFixed(1)} s after its last row, ${((performance.now() - startedAt) / 1000).toFixed(0)} s in all`,
  ].join('  '),
);
if (!isRight) console.log(run.stderr.slice(-2000));
process.exitCode = isRight ? 0 : 1;
