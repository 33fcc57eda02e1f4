import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { Command, Option } from 'commander';

import { AppError, readJsonl } from '../../../base/index.ts';

import type { Config } from '../../../config/index.ts';
import { settingsLayer } from '../../../config/index.ts';
import {
  chunkOutput,
  documentFiles,
  documentId,
  embedOutput,
  validateChunks,
  validateVectors,
  writeParts,
} from '../../../parse/index.ts';
import type { ParseStage, StageCall } from '../../../corpus/index.ts';
import { stageManifestFolder, openCorpus, PARSE_STAGES } from '../../../corpus/index.ts';
import { manifestPath } from '../../../stage/index.ts';
import { fleetLayer } from '../../../run/queue/index.ts';
import type { Session } from '../../session.ts';
import { openSession, settingOptions, shared, stopSignal } from '../../session.ts';
import { wholeNumber } from '../../options.ts';
import { counted } from '../../terminal.ts';
import { showStage, stageOptions, printOutcome } from './stage-options.ts';

/** Options of the stages; `dataRoot` is a setting. */
interface DocparseOptions extends StageCall {
  readonly fleet?: string;
  readonly dataRoot?: string;
  readonly input?: string;
  readonly output?: string;
  readonly validateOnly?: boolean;
}

const inputOption = (command: Command) =>
  command.option('-i, --input <path>', 'folder of papers (PDF, HTML, JATS, TEI), or one file');

export function doctagsCommand() {
  return stageOptions(inputOption(new Command('doctags')), 'doctags')
    .description('parse papers into DocTags and blocks')
    .option('-o, --output <folder>', 'same as --data-root')
    .addHelpText('after', '\nExample:\n  docparse doctags --input runs/harvest/PDF --data-root Data\n')
    .action((options, self) => runStages(openSession(self), options, ['doctags']));
}

export function chunkCommand() {
  return validatingCommand('chunk', 'split parsed papers into chunks', '--max-tokens 256 --timeout-s 60');
}

export function embedCommand() {
  return validatingCommand('embed', 'embed chunks as dense and sparse vectors', '--retries 3 --retry-backoff-s 1.0');
}

function validatingCommand(stage: 'chunk' | 'embed', description: string, example: string) {
  return stageOptions(new Command(stage), stage, 'format')
    .description(description)
    .option('--validate-only', 'validate existing files; write nothing')
    .addHelpText('after', `\nExample:\n  docparse ${stage} ${example}\n`)
    .action((options, self) => {
      const session = openSession(self);
      return options.validateOnly ? checkFiles(session, options, stage) : runStages(session, options, [stage]);
    });
}

export function parseCommand() {
  return stageOptions(inputOption(new Command('parse')), 'doctags', 'chunk', 'embed', 'format')
    .description('run doctags, chunk and embed in sequence; --dry-run shows what each would do and why')
    .addHelpText(
      'after',
      '\nExamples:\n  docparse parse --input runs/harvest/PDF\n  docparse parse --input runs/harvest/PDF --dry-run\n',
    )
    .action((options: DocparseOptions, self) => {
      const isPlanOfParsed = options.dryRun && options.input === undefined;
      return runStages(openSession(self), options, isPlanOfParsed ? ['chunk', 'embed'] : PARSE_STAGES);
    });
}

function configOf(session: Session, { dataRoot, output, fleet }: DocparseOptions): Config {
  const settings = { parse: { data_root: dataRoot === undefined ? output : undefined } };
  return session.load([...settingsLayer(settings, 'option --output'), ...fleetLayer(fleet)]).config;
}

async function runStages(session: Session, options: DocparseOptions, stages: readonly ParseStage[]): Promise<void> {
  const config = configOf(session, options);
  await using corpus = await openCorpus(dirname(config.parse.data_root), { config });
  using stop = stopSignal();
  const show = showStage(session);
  let documents = 0;
  for await (const event of corpus.parse({ ...options, stages }, stop.signal)) {
    session.tell(event);
    if (event.kind !== 'stage') continue;
    show(event.event);
    if (event.event.kind !== 'stage-ended') continue;
    const { outcome } = event.event;
    documents += outcome.scheduled + outcome.skipped + (outcome.plan?.length ?? 0);
    printOutcome(outcome, session);
  }
  // With a shared queue, other runners may have taken all documents.
  if (documents === 0 && config.stage.source !== 'queue' && !stop.signal.aborted) {
    const where = options.input ?? config.parse.data_root;
    session.log('error', `no documents in ${where}`);
    process.exitCode ??= 1;
  }
}

async function checkFiles(session: Session, options: DocparseOptions, stage: 'chunk' | 'embed'): Promise<void> {
  const { data_root: root, format, max_tokens: most } = configOf(session, options).parse;
  const pattern = (stage === 'chunk' ? chunkOutput : embedOutput)(root, '*', format);
  const check = (path: string): Promise<string[]> =>
    stage === 'chunk' ? validateChunks(path, most) : validateVectors(path);
  const faults: { file: string; fault: string }[] = [];
  const files = globSync(pattern).sort();
  for (const file of files) for (const fault of await check(file)) faults.push({ file, fault });
  session.print({ folder: dirname(pattern), files: files.length, faults }, () =>
    [
      ...faults.map(({ file, fault }) => `${file}: ${fault}`),
      `${counted(files.length, 'file')}, ${counted(faults.length, 'fault')}`,
    ].join('\n'),
  );
  if (faults.length > 0) process.exitCode = 1;
}

interface Row {
  readonly doc_id: string;
  readonly status: string;
  readonly duration_s: number;
  readonly category?: string;
  readonly message?: string;
}

export function stageLogCommand() {
  return settingOptions(shared(new Command('stage-log')), ['data-root'])
    .description('show a stage’s manifest rows: documents processed, skipped or failed')
    .addOption(
      new Option('--stage <stage>', 'which stage').choices(['doctags', 'chunk', 'embed']).makeOptionMandatory(),
    )
    .option('--tail <n>', 'number of rows to show, from the end', wholeNumber(1), 20)
    .addOption(new Option('--status <status>', 'only rows of this status').choices(['success', 'skip', 'failure']))
    .addHelpText('after', '\nExample:\n  docparse stage-log --stage chunk --tail 20 --status failure\n')
    .action(async (options, self) => {
      const session = openSession(self);
      const { config } = session.load();
      const path = manifestPath(stageManifestFolder(config), options.stage);
      if (!existsSync(path))
        throw new AppError('MANIFEST_MISSING', `file not found: ${path}`, {
          hint: `run docparse ${options.stage} first`,
        });
      const rows: Row[] = [];
      for await (const line of readJsonl(path)) {
        if (line.kind === 'bad') session.warn(`line ${line.line}: ${line.reason}`);
        else if ((options.status ?? (line.value as Row).status) === (line.value as Row).status)
          rows.push(line.value as Row);
        // Only the last rows are shown, so only those are kept in memory.
        if (rows.length > options.tail * 2) rows.splice(0, rows.length - options.tail);
      }
      const shown = rows.slice(-options.tail);
      if (session.json) for (const row of shown) session.terminal.print(JSON.stringify(row));
      else
        session.print(
          shown.map(({ doc_id: document, status, duration_s, category, message }) => ({
            document,
            status,
            duration_s,
            category,
            message,
          })),
        );
    });
}

export function figuresCommand() {
  return shared(new Command('figures'))
    .description('write figures as PNG, tables as CSV, equations as PNG and listings as text, with their captions')
    .argument('<input>', 'a paper, or a folder of papers')
    .requiredOption('--out <folder>', 'output folder, with one subfolder per paper')
    .addHelpText('after', '\nExample:\n  docparse figures paper.pdf --out figures\n')
    .action(async (input, options, self) => {
      const session = openSession(self);
      using stop = stopSignal();
      for (const file of documentFiles(input)) {
        const folder = join(options.out, documentId(file));
        const parts = await writeParts(file, folder, {}, stop.signal);
        session.print({ document: file, folder, parts }, `${folder}: ${counted(parts.length, 'file')}`);
      }
    });
}
