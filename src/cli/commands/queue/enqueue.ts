import { Command } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { WorkQueue } from '../../../queue/index.ts';
import type { BadArtifact } from '../../../harvest/queue/index.ts';
import { readArtifacts } from '../../../harvest/queue/index.ts';
import { showProgress } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { count, plain } from '../../terminal.ts';
import { queueOptions, withQueue } from './shared.ts';
import { wholeNumber } from '../../options.ts';

/** Bad lines printed individually; the rest are only counted. */
const SHOWN_BAD_LINES = 20;

export function enqueueCommand(): Command {
  return queueOptions(new Command('enqueue'))
    .description('add one job, or the jobs of a JSONL file')
    .argument('[id]', 'unique id of the job, such as doi:10.1234/example; does nothing if the id exists')
    .argument('[json]', 'payload of the job', '{}')
    .option('-i, --input <file>', 'JSONL file of jobs, or - for standard input')
    .option('--resolver <name>', 'resolver expected to serve this job')
    .option('--priority <n>', 'jobs with a higher priority run first', wholeNumber())
    .addHelpText(
      'after',
      `\nExample:\n  contentdownload queue enqueue doi:10.1234/example '{"doi":"10.1234/example"}'\n`,
    )
    .action(
      async (
        id: string | undefined,
        json: string,
        options: { input?: string; resolver?: string; priority?: number },
        self: Command,
      ) => {
        if ((id === undefined) === (options.input === undefined)) {
          throw new AppError('USAGE_ENQUEUE', 'give either an id or --input', {
            hint: 'contentdownload queue enqueue --help shows an example',
          });
        }
        await withQueue(self, async (queue, session) => {
          if (options.input !== undefined) return importArtifacts(queue, session, options.input, Infinity);
          const added = await queue.enqueue(id ?? '', parsePayload(json), {
            resolverHint: options.resolver,
            priority: options.priority,
          });
          session.print({ artifact_id: id, added }, plain(added ? `added ${id}` : `${id} is already in the queue`));
        });
      },
    );
}

export function importCommand(): Command {
  return queueOptions(new Command('import'))
    .description('add jobs from a JSONL file, optionally gzipped')
    .argument('<file>', 'the file, or - for standard input')
    .option('--limit <n>', 'maximum number of lines to add', wholeNumber(0))
    .addHelpText(
      'after',
      `
A line is {"artifact_id", "artifact", "resolver_hint"?, "priority"?} or an
artifact itself, whose id is its artifact_id, id, doi, url, or a hash of its
content. Known ids are skipped, so importing again is safe. Bad lines are
reported with their number, the rest is imported, and the exit code is 1.

Example:
  contentdownload queue import artifacts.jsonl --limit 10000
`,
    )
    .action(async (file: string, options: { limit?: number }, self: Command) => {
      await withQueue(self, (queue, session) => importArtifacts(queue, session, file, options.limit ?? Infinity));
    });
}

function parsePayload(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    throw new AppError(
      'USAGE_PAYLOAD',
      `the payload is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: `quote it for the shell, for example '{"doi":"10.1234/example"}'`,
      },
    );
  }
}

async function importArtifacts(queue: WorkQueue, session: Session, file: string, limit: number): Promise<void> {
  const bad: BadArtifact[] = [];
  let badLines = 0;
  let counts = { added: 0, known: 0 };
  const report = (line: BadArtifact): void => {
    badLines += 1;
    if (bad.length < 1000) bad.push(line);
    if (badLines <= SHOWN_BAD_LINES) session.log('warn', `line ${line.line}: ${line.reason}`);
  };
  {
    const startedAt = session.clock.monotonic();
    using _progress = showProgress(session.terminal, session.clock, () => {
      const done = counts.added + counts.known;
      const perSecond = done / ((session.clock.monotonic() - startedAt) / 1000);
      return `importing  ${count(done)} lines  ${count(perSecond)}/s  ${count(counts.added)} new  ${count(counts.known)} known  ${count(badLines)} bad`;
    });
    counts = await queue.bulkImport(take(readArtifacts(file, report), limit), (now) => (counts = now));
  }
  if (badLines > SHOWN_BAD_LINES) session.log('warn', `and ${count(badLines - SHOWN_BAD_LINES)} more bad lines`);
  session.print(
    { ...counts, bad: badLines, bad_lines: bad },
    `${count(counts.added)} added, ${count(counts.known)} already known, ${count(badLines)} bad`,
  );
  if (badLines > 0) process.exitCode = 1;
}

async function* take<T>(source: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let taken = 0;
  if (limit <= 0) return;
  for await (const each of source) {
    yield each;
    taken += 1;
    if (taken >= limit) return;
  }
}
