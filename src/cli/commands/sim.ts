import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

import { Command, InvalidArgumentError, Option } from 'commander';

// Types only: the simulator is loaded when a command runs.
import type { LogEntry, Policy, Profile } from '../../../sim/index.ts';
import { AppError, JsonlWriter } from '../../base/index.ts';
import { openSession, outputOptions } from '../session.ts';
import { wholeNumber } from '../options.ts';
import { loadSimulation, readManifest, readTruth, readViolations } from '../simulation.ts';

/**
 * Profiles of the simulator and their default number of works; copied here so that help does not load the simulator.
 */
const DEFAULT_WORKS: Readonly<Record<Profile, number>> = {
  calm: 500,
  realistic: 500,
  reality: 500,
  politeness: 500,
  hostile: 500,
  demo: 200,
  load: 100_000,
};

interface WorldOptions {
  readonly seed: number;
  readonly works?: number;
  readonly hosts: number;
  readonly profile: Profile;
  readonly documents: 'full' | 'plain';
}

/** The shared options, except `--profile`, which names a world here. */
function everywhere(command: Command): Command {
  return outputOptions(command).helpOption('-h, --help', 'show this help');
}

function worldOptions(command: Command): Command {
  return command
    .option('--seed <n>', 'seed; the same seed gives the same world', wholeNumber(0), 7)
    .option('--works <n>', 'works in the world; default: 500, demo 200, load 100,000', wholeNumber(0))
    .option('--hosts <n>', 'publishers and repositories in the world', wholeNumber(0), 60)
    .addOption(
      new Option('--profile <name>', 'behaviour of the world').choices(Object.keys(DEFAULT_WORKS)).default('realistic'),
    )
    .addOption(
      new Option('--documents <manner>', 'full: realistic papers; plain: a single page that identifies the work')
        .choices(['full', 'plain'])
        .default('full'),
    );
}

/** The world parameters, with the default size of the profile. */
function parametersOf(options: WorldOptions): {
  readonly seed: number;
  readonly works: number;
  readonly hosts: number;
  readonly profile: Profile;
} {
  return {
    seed: options.seed,
    works: options.works ?? DEFAULT_WORKS[options.profile],
    hosts: options.hosts,
    profile: options.profile,
  };
}

export function simCommand(): Command {
  const command = new Command('sim').description('run and inspect a simulated scholarly web on this machine');
  command.addCommand(serveCommand());
  command.addCommand(truthCommand());
  command.addCommand(verifyCommand());
  return command;
}

function serveCommand(): Command {
  return everywhere(worldOptions(new Command('serve')))
    .description('serve a simulated world until interrupted; prints its address')
    .option('--port <n>', 'port of the simulated web; 0 picks a free one', wholeNumber(0), 0)
    .option('--admin-port <n>', 'port of the admin API; 0 picks a free one', wholeNumber(0), 0)
    .option('--time-scale <x>', 'real seconds per simulated second', timeScale, 1)
    .option('--state <dir>', 'folder for world.json, requests.jsonl and violations.json')
    .addOption(new Option('--leash', 'stop when standard input ends').hideHelp())
    .addHelpText('after', '\nExample:\n  docstokg sim serve --seed 7 --profile realistic --time-scale 0.05\n')
    .action(
      async (
        options: WorldOptions & { port: number; adminPort: number; timeScale: number; state?: string; leash?: boolean },
        self: Command,
      ) => {
        const session = openSession(self);
        // Install signal handlers before printing the address: the reader may send a signal immediately.
        const ended = options.leash ? leash() : Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
        const { Admin, Simulation, countByRule } = await loadSimulation();
        if (options.state) mkdirSync(options.state, { recursive: true });
        // Declared first so that it is closed last: requests end when their connections do.
        await using requests = options.state
          ? await JsonlWriter.open(join(options.state, 'requests.jsonl'), { clock: session.clock })
          : undefined;
        await using simulation = await Simulation.open({
          parameters: parametersOf(options),
          documents: options.documents,
          port: options.port,
          timeScale: options.timeScale,
          ...(requests && {
            onEntry: (entry: LogEntry) =>
              void requests.append(entry).catch((error: unknown) => session.log('error', String(error))),
          }),
        });
        await using admin = await Admin.open(simulation, options.adminPort);
        const { identity, parameters } = simulation.world;
        const about = {
          sim: admin.url,
          web: `http://127.0.0.1:${simulation.port}`,
          identity,
          ...parameters,
          time_scale: options.timeScale,
        };
        if (options.state) writeFileSync(join(options.state, 'world.json'), `${JSON.stringify(about, undefined, 2)}\n`);
        session.print(
          about,
          `sim       ${about.sim}\nweb       ${about.web}\nidentity  ${identity}\nworld     ${parameters.works} works, ${parameters.hosts} hosts, ${parameters.profile}, seed ${parameters.seed}, time scale ${options.timeScale}`,
        );
        if (!options.leash) session.info(`give clients --sim ${about.sim}; Ctrl-C stops`);
        await ended;
        const counts = countByRule(simulation.log.violations);
        if (options.state)
          writeFileSync(
            join(options.state, 'violations.json'),
            `${JSON.stringify({ by_rule: counts, violations: simulation.log.violations }, undefined, 2)}\n`,
          );
        session.info(`${simulation.log.violations.length} violations`);
        // In the politeness profile every violation is fatal.
        if (options.profile === 'politeness' && simulation.log.violations.length > 0) process.exitCode = 1;
      },
    );
}

/** Resolves when stdin ends. Ctrl-C is left to the parent process, which may have work to finish. */
async function leash(): Promise<void> {
  for (const name of ['SIGINT', 'SIGHUP']) process.on(name, () => undefined);
  process.stdin.resume();
  await Promise.race([once(process.stdin, 'close'), once(process, 'SIGTERM')]);
}

function timeScale(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10)) throw new InvalidArgumentError('expected a number > 0 and ≤ 10');
  return value;
}

function truthCommand(): Command {
  return everywhere(worldOptions(new Command('truth')))
    .description('print what a correct client should obtain from a world, one JSON line per work')
    .option('--policy <file>', 'JSON file with the client’s permissions; default: everything is allowed')
    .option(
      '--selection <query>',
      'only works that OpenAlex returns for this query, for example filter=topics.id:T10341',
    )
    .option('--questions', 'print questions with known answers in the documents instead')
    .addHelpText('after', '\nExample:\n  docstokg sim truth --seed 7 --profile calm > truth.jsonl\n')
    .action(
      async (options: WorldOptions & { policy?: string; selection?: string; questions?: boolean }, self: Command) => {
        const session = openSession(self);
        const { Documents, World, plantedQuestions, truthLines } = await loadSimulation();
        const policy = await readPolicy(options);
        const world = new World(parametersOf(options));
        if (options.questions) {
          for (const question of plantedQuestions(world)) session.terminal.print(JSON.stringify(question));
          return;
        }
        for await (const line of truthLines(world, new Documents(world, options.documents), policy))
          session.terminal.print(JSON.stringify(line));
      },
    );
}

function verifyCommand(): Command {
  return everywhere(new Command('verify'))
    .description(
      'compare a client’s manifest with the truth and count politeness violations; exit 1 on any difference or violation',
    )
    .option('--manifest <file>', 'manifest, one JSON line per work; without it only politeness is checked')
    .requiredOption('--sim <url>', 'URL printed by sim serve')
    .option('--policy <file>', 'JSON file with the client’s permissions')
    .option('--selection <query>', 'OpenAlex query of the client, for example filter=topics.id:T10341')
    .addOption(
      new Option('--scope <works>', 'compare all works of the world, or only those in the manifest')
        .choices(['all', 'manifest'])
        .default('all'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  docstokg sim verify --manifest out/manifest.jsonl --sim http://127.0.0.1:41000\n',
    )
    .action(
      async (
        options: {
          manifest?: string;
          sim: string;
          policy?: string;
          selection?: string;
          scope: 'all' | 'manifest';
        },
        self: Command,
      ) => {
        const session = openSession(self);
        const { verify } = await loadSimulation();
        const report = await readViolations(options.sim);
        const { manifest: path, scope } = options;
        const result =
          path === undefined
            ? undefined
            : verify(await readTruth(options.sim, await readPolicy(options)), await readManifest(path), {
                scope,
              });
        const differences = result?.differences.length ?? 0;
        session.print({ ...result, violations: report });
        session.info(`${differences} differences, ${report.total} violations`);
        if (report.total + differences > 0) process.exitCode = 1;
      },
    );
}

async function readPolicy({
  policy: path,
  selection,
}: {
  readonly policy?: string;
  readonly selection?: string;
}): Promise<Policy> {
  const { parsePolicy } = await loadSimulation();
  const chosen = selection === undefined ? {} : { selection };
  if (path === undefined) return parsePolicy(chosen);
  try {
    return { ...parsePolicy(JSON.parse(readFileSync(path, 'utf8')) as unknown), ...chosen };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('USAGE_SIM_POLICY', `${path} is not valid JSON`, { cause: error });
  }
}
