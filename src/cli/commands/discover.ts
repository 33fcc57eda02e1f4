import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Command } from 'commander';

import { AppError } from '../../base/index.ts';
import type { DiscoveryAccount } from '../../run/index.ts';
import { accountPath, discoverWorks, readDiscoveryAccount, readDiscoveryQuery } from '../../run/index.ts';
import { openSession, shared, stopSignal } from '../session.ts';
import { counted, grouped, plain } from '../terminal.ts';

export function discoverCommand() {
  return shared(new Command('discover'))
    .description('list the works of a local OpenAlex snapshot that match a published query; the same list each time')
    .argument('<query>', 'a query file (YAML), or the account of an earlier search')
    .requiredOption('--snapshot <folder>', 'the works of the snapshot: Parquet or JSON lines')
    .option('--out <file>', 'where the works are written, as JSON lines', 'works.jsonl')
    .option('--check', 'search again and compare with the account; writes nothing')
    .addHelpText(
      'after',
      `
A query file:
  query: title_abstract:(coral* AND (bleach* OR "heat stress")) NOT title:review
  from: 2010
  type: [article, preprint]

Examples:
  docstokg discover query.yaml --snapshot openalex/data/parquet/works --out works.jsonl
  docstokg discover works.account.json --snapshot openalex/data/parquet/works --check
  docstokg run --input works.jsonl --mailto you@university.example
`,
    )
    .action(async (file, { snapshot, out, check }, self) => {
      const session = openSession(self);
      using stop = stopSignal();
      const query = await readDiscoveryQuery(file);
      const tell = ({ rows, works, file: name }: { rows: number; works: number; file: string }): void =>
        session.info(`${grouped(rows)} rows read, ${counted(works, 'work')} found (${name})`);
      if (!check) {
        const account = await discoverWorks({ snapshot, query, out, tell }, stop.signal);
        return session.print(account, `${summary(account)}\n${plain(out)}, ${plain(accountPath(out))}`);
      }
      const before = await readDiscoveryAccount(file);
      await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-check-'));
      const account = await discoverWorks(
        { snapshot, query, out: join(scratch.path, 'works.jsonl'), tell },
        stop.signal,
      );
      if (account.ids_sha256 === before.ids_sha256) return session.print(account, `the same ${summary(account)}`);
      throw new AppError(
        'DISCOVERY_DIFFERS',
        `${counted(account.works, 'work')} found, ${before.works} before`,
        account.snapshot.sha256 === before.snapshot.sha256
          ? { hint: `the snapshot has the same files: ${before.program} searched before, ${account.program} now` }
          : { hint: 'the snapshot has other files than the one searched before' },
      );
    });
}

function summary({ works, rows, unreadable, ids_sha256 }: DiscoveryAccount): string {
  const bad = unreadable === 0 ? '' : `, ${counted(unreadable, 'unreadable line')}`;
  return `${counted(works, 'work')} of ${grouped(rows)} rows${bad}; ids ${ids_sha256.slice(0, 12)}`;
}
