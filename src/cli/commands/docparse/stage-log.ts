import { existsSync } from 'node:fs';

import { Command, Option } from 'commander';

import { AppError, readJsonl } from '../../../base/index.ts';
import { manifestPath } from '../../../stage/index.ts';
import { manifestFolder } from '../../../corpus/index.ts';
import { openSession, shared } from '../../session.ts';
import { settingOptions } from '../../setting-options.ts';
import { plain, table } from '../../terminal.ts';
import { decimalNumber } from '../../options.ts';

interface Row {
  readonly doc_id: string;
  readonly status: string;
  readonly duration_s: number;
  readonly category?: string;
  readonly message?: string;
}

interface ManifestOptions {
  readonly stage: string;
  readonly tail: number;
  readonly status?: string;
  readonly category?: string;
  readonly slowerThan?: number;
}

export function stageLogCommand(): Command {
  return settingOptions(shared(new Command('stage-log')), ['data-root'])
    .description('show a stage’s manifest rows: documents processed, skipped or failed')
    .addOption(
      new Option('--stage <stage>', 'which stage').choices(['doctags', 'chunk', 'embed']).makeOptionMandatory(),
    )
    .option('--tail <n>', 'number of rows to show, from the end', Number, 20)
    .addOption(new Option('--status <status>', 'only rows of this status').choices(['success', 'skip', 'failure']))
    .option('--category <name>', 'only failures of this category')
    .option('--slower-than <s>', 'only documents that took longer than this', decimalNumber(0))
    .addHelpText('after', '\nExample:\n  docparse stage-log --stage chunk --tail 20 --status failure\n')
    .action(async (options: ManifestOptions, self: Command) => {
      const session = openSession(self);
      const { config } = session.load();
      const path = manifestPath(manifestFolder(config), options.stage);
      if (!existsSync(path))
        throw new AppError('MANIFEST_MISSING', `file not found: ${path}`, {
          hint: `run docparse ${options.stage} first`,
        });
      const rows: Row[] = [];
      for await (const line of readJsonl(path)) {
        if (line.kind === 'bad') session.log('warn', `line ${line.line}: ${line.reason}`);
        else if (fits(line.value as Row, options)) rows.push(line.value as Row);
        // Only the last rows are shown, so only those are kept in memory.
        if (rows.length > options.tail * 2) rows.splice(0, rows.length - options.tail);
      }
      const shown = rows.slice(-options.tail);
      if (session.json) for (const row of shown) session.terminal.print(JSON.stringify(row));
      else
        session.terminal.print(
          table(
            shown.map((row) => [
              plain(row.doc_id),
              row.status,
              `${row.duration_s.toFixed(2)} s`,
              plain(`${row.category ?? ''} ${row.message ?? ''}`.trim()).slice(0, 70),
            ]),
            ['document', 'status', 'took', 'error'],
          ),
        );
    });
}

function fits(row: Row, { status, category, slowerThan }: ManifestOptions): boolean {
  return (
    (status === undefined || row.status === status) &&
    (category === undefined || row.category === category) &&
    (slowerThan === undefined || row.duration_s > slowerThan)
  );
}
