import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import type { CommandUnknownOpts } from 'commander';
import { Command } from 'commander';

import { AppError, isUnwritable, packageVersion } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Corpus } from '../../corpus/index.ts';
import { hostKnowledge, openQueue, queueLayer } from '../../run/index.ts';
import { isLoopback, openServer } from '../../serve/index.ts';
import type { FlagsOf } from '../options.ts';
import { isRun, openCorpora, requireRun } from '../run-argument.ts';
import { isToken, keptToken, newToken, SHORTEST_TOKEN } from '../serve-token.ts';
import type { Session } from '../session.ts';
import { openSession, settingOptions, shared, stopSignal, databaseOptions } from '../session.ts';
import { counted } from '../terminal.ts';
import { requireQueueFile, workerCommand } from './queue/shared.ts';

const MOST_RUNS = 50;

function serveOptions() {
  return settingOptions(databaseOptions(shared(new Command('serve'))), ['serve'])
    .description('web pages and an HTTP API to monitor runs and queues and to search corpora')
    .argument('[run...]', 'run folders; default: all in runs/')
    .option(
      '--queue <path|url>',
      'SQLite file or postgres:// URL of the queue to monitor; default: the configured PostgreSQL queue, or else the queue of the first run that has one',
    )
    .option(
      '--allow-control',
      'allow clients with the token to fill in tables, screen, write notes, and pause or retry work',
    )
    .addHelpText(
      'after',
      `
Prints a link that signs a browser in; it stays the same for the same user. Listens only on this
machine unless --host says otherwise.

Examples:
  docstokg serve runs/corals
  docstokg serve --queue postgres://docstokg@db/docstokg --host 0.0.0.0 --allow-control
`,
    );
}

type ServeFlags = FlagsOf<typeof serveOptions>;

export function serveCommand() {
  return serveOptions().action((folders, flags, self) => serveRuns(folders, flags, self));
}

/** Serves runs until it is stopped; the printed link opens `page`. */
export async function serveRuns(
  folders: readonly string[],
  flags: ServeFlags,
  self: CommandUnknownOpts,
  page = '',
): Promise<void> {
  const { allowControl = false } = flags;
  const session = openSession(self);
  const { config } = session.load();
  const given = givenToken(config.serve, session.database !== undefined);
  using stop = stopSignal();
  await using opened = new AsyncDisposableStack();
  const runs = await openCorpora(
    session.database === undefined ? runFolders(folders, flags, config) : [folders[0]],
    session,
    opened,
  );
  const { queue, hosts, beside, worker } = await openWatched(flags.queue, runs, { ...session, stop: stop.signal });
  const [first] = runs;
  const place = first ? join(first.corpus.folder, 'state') : beside;
  const token =
    given ?? (await first?.corpus.shared?.token(newToken)) ?? keptToken(join(homedir(), '.docstokg', 'serve-token'));
  const server = opened.use(
    await openServer({
      runs,
      queue,
      hosts,
      host: config.serve.host,
      port: config.serve.port,
      names: config.serve.allowed_hosts,
      token,
      allowControl,
      controlLog: place === undefined ? undefined : join(place, 'control.jsonl'),
      version: packageVersion(),
      workerCommand: worker,
      mcp: async (served) => {
        const { createMcp } = await import('../../mcp/index.ts');
        return createMcp({ runs: served, version: packageVersion(), allowControl, tell: session.warn });
      },
      log: session.log,
    }),
  );
  const { url, port } = server;
  const address = new URL(page, url);
  address.searchParams.set('token', token);
  const link = address.href;
  session.print({ url, link, port, token, runs: runs.map(({ id }) => id) }, link);
  const control = allowControl ? 'control is allowed' : 'read-only';
  const watched = [counted(runs.length, 'run'), ...(queue ? ['a queue'] : [])].join(' and ');
  session.info(`serving ${watched}, ${control}; Ctrl-C stops it`);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  // Ctrl-C is the normal way to stop the server.
  process.exitCode = 0;
}

/** The token of the settings; undefined if there is none and only this machine can reach the server. */
function givenToken({ token, host }: Config['serve'], isShared: boolean): string | undefined {
  if (token === '') {
    // The servers of a corpus in PostgreSQL make one together, which cannot be guessed.
    if (isLoopback(host) || isShared) return undefined;
    throw new AppError('USAGE_TOKEN', `${host} can be reached by other machines, but no token is set`, {
      hint: 'set one of at least 16 characters: DOCSTOKG_SERVE__TOKEN in the environment, or --token',
    });
  }
  if (isToken(token)) return token;
  throw new AppError('USAGE_TOKEN', 'the token is too short or contains invalid characters', {
    hint: `it has at least ${SHORTEST_TOKEN} printable ASCII characters without spaces`,
  });
}

/** The run folders named by the user, each of which must be a run; by default all runs next to each other. */
function runFolders(named: readonly string[], flags: ServeFlags, config: Config): readonly string[] {
  if (named.length > 0) return [...new Set(named.map((folder) => resolve(requireRun(folder))))];
  const beside = dirname(resolve(config.download.out));
  const found = (existsSync(beside) ? readdirSync(beside) : [])
    .map((name) => join(beside, name))
    .filter(isRun)
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (found.length > 0 || (flags.queue ?? sharedQueue(config)) !== undefined) return found.slice(0, MOST_RUNS);
  throw new AppError('USAGE_NOTHING_TO_SERVE', `no runs in ${beside}`, {
    hint: 'give a run folder, or a queue with --queue',
  });
}

function sharedQueue({ queue }: Config): string | undefined {
  return queue.backend === 'postgres' && queue.url !== '' ? queue.url : undefined;
}

/** The queue to monitor: the one named, the configured one, or that of the first run that has one. */
async function openWatched(
  named: string | undefined,
  runs: readonly { readonly corpus: Corpus }[],
  session: Session & { readonly stop: AbortSignal },
) {
  const isUrl = (queue: string): boolean => /^postgres(?:ql)?:\/\//.test(queue);
  if (named !== undefined && !isUrl(named)) requireQueueFile(named);
  const own = runs.map(({ corpus }) => corpus.config.queue.path).find((path) => existsSync(path));
  const target = named ?? session.database ?? sharedQueue(session.load().config) ?? own;
  if (target === undefined) return {};
  const { config } = session.load(queueLayer(target));
  const queue = await openQueue(config, session).catch((error: unknown) => {
    // A run on a read-only disk is served without its queue.
    if (target !== own || !isUnwritable(error)) throw error;
    session.warn(`the queue is not shown: ${error.message}`);
    return undefined;
  });
  if (!queue) return {};
  return {
    queue,
    hosts: hostKnowledge(config, session.stop),
    beside: isUrl(target) ? undefined : dirname(target),
    worker: workerCommand(config),
  };
}
