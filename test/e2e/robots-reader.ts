// A process of a fleet that fetches one page, and so reads its host's robots.txt: URL of the database, schema, port of the web.
import { HostTable, openSharedAdmission } from '../../src/hosts/index.ts';
import { createClient } from '../../src/http/index.ts';

const [url = '', schema = '', port = ''] = process.argv.slice(2);
const table = new HostTable({ perHost: { perSecond: 100, concurrency: 4 } });
await using admission = await openSharedAdmission({ url, schema, table, leaseMs: 1_000 });
await using client = createClient({
  admission,
  facts: admission.facts,
  guard: { dnsMap: [{ pattern: '*.test', address: '127.0.0.1', port: Number(port) }] },
});
const result = await client.send({ url: new URL('http://host.test/page') });
console.log('reason' in result ? result.reason : result.response.status);
