import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

import type { CommandUnknownOpts } from 'commander';
import { Command, InvalidArgumentError, Option } from 'commander';

// Types only: the simulator is loaded when a command runs.
import type { LogEntry, Policy, Profile } from '../../../sim/index.ts';
import { AppError, JsonlWriter } from '../../base/index.ts';
import { openSession, outputOptions } from '../session.ts';
import type { FlagsOf } from '../options.ts';
import { wholeNumber } from '../options.ts';
import { compareWithTruth, loadSimulation } from '../simulation.ts';

/** Profiles of the simulator; copied here so that help does not load it. */
const PROFILES: readonly Profile[] = ['calm', 'realistic', 'reality', 'politeness', 'hostile', 'demo', 'load'];
const DEFAULT_WORKS = 500;
const WORKS_OF_PROFILES: Readonly<Partial<Record<Profile, number>>> = { demo: 200, load: 100_000 };

/** A command with the shared options, except `--profile`, which names a world here. */
function simulationCommand(name: string) {
  return outputOptions(new Command(name)).helpOption('-h, --help', 'show this help');
}

export function simCommand() {
  return new Command('sim')
    .description('run and inspect a simulated scholarly web on this machine')
    .addCommand(serveOptions().action(serve))
    .addCommand(verifyCommand());
}

function serveOptions() {
  return simulationCommand('serve')
    .description('serve a simulated world until interrupted; prints its address')
    .option('--seed <n>', 'seed; the same seed gives the same world', wholeNumber(0), 7)
    .option('--works <n>', 'works in the world; default: 500, demo 200, load 100,000', wholeNumber(0))
    .option('--hosts <n>', 'publishers and repositories in the world', wholeNumber(0), 60)
    .addOption(new Option('--profile <name>', 'behaviour of the world').choices(PROFILES).default('realistic'))
    .addOption(
      new Option('--documents <manner>', 'full: realistic papers; plain: a single page that identifies the work')
        .choices(['full', 'plain'])
        .default('full'),
    )
    .option('--port <n>', 'port of the simulated web; 0 picks a free one', wholeNumber(0), 0)
    .option('--admin-port <n>', 'port of the admin API; 0 picks a free one', wholeNumber(0), 0)
    .option('--time-scale <x>', 'real seconds per simulated second', timeScale, 1)
    .option('--state <dir>', 'folder for world.json, requests.jsonl and violations.json')
    .addOption(new Option('--leash', 'stop when standard input ends').hideHelp())
    .addHelpText('after', '\nExample:\n  docstokg sim serve --seed 7 --profile realistic --time-scale 0.05\n');
}

async function serve(options: FlagsOf<typeof serveOptions>, self: CommandUnknownOpts): Promise<void> {
  const session = openSession(self);
  const { state, documents, port, timeScale: scale, seed, hosts, profile } = options;
  const works = options.works ?? WORKS_OF_PROFILES[profile] ?? DEFAULT_WORKS;
  // Install signal handlers before printing the address: the reader may send a signal immediately.
  const ended = options.leash ? leash() : Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const { Admin, Simulation, countByRule } = await loadSimulation();
  if (state) mkdirSync(state, { recursive: true });
  const write = (name: string, value: object): void => {
    if (state) writeFileSync(join(state, name), `${JSON.stringify(value, undefined, 2)}\n`);
  };
  // Declared first so that it is closed last: requests end when their connections do.
  await using requests = state
    ? await JsonlWriter.open(join(state, 'requests.jsonl'), { clock: session.clock })
    : undefined;
  const onEntry = (entry: LogEntry): void =>
    void requests?.append(entry).catch((error: unknown) => session.log('error', String(error)));
  const parameters = { seed, works, hosts, profile };
  await using simulation = await Simulation.open({ parameters, documents, port, timeScale: scale, onEntry });
  await using admin = await Admin.open(simulation, options.adminPort);
  const { identity } = simulation.world;
  const addresses = { sim: admin.url, web: `http://127.0.0.1:${simulation.port}` };
  const about = { ...addresses, identity, ...parameters, time_scale: scale };
  write('world.json', about);
  session.print(
    about,
    `sim       ${about.sim}\nweb       ${about.web}\nidentity  ${identity}\nworld     ${works} works, ${hosts} hosts, ${profile}, seed ${seed}, time scale ${scale}`,
  );
  if (!options.leash) session.info(`give clients --sim ${about.sim}; Ctrl-C stops`);
  await ended;
  const { violations } = simulation.log;
  write('violations.json', { by_rule: countByRule(violations), violations });
  session.info(`violations: ${violations.length}`);
  if (profile === 'politeness' && violations.length > 0) process.exitCode = 1;
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

function verifyCommand() {
  return simulationCommand('verify')
    .description(
      'compare a client’s manifest with the truth and count politeness violations; exit 1 on any difference or violation',
    )
    .option('--policy <file>', 'JSON file with the client’s permissions; default: everything is allowed')
    .option(
      '--selection <query>',
      'only works that OpenAlex returns for this query, for example filter=topics.id:T10341',
    )
    .option('--manifest <file>', 'manifest, one JSON line per work; without it only politeness is checked')
    .requiredOption('--sim <url>', 'URL printed by sim serve')
    .addOption(
      new Option('--scope <works>', 'compare all works of the world, or only those in the manifest')
        .choices(['all', 'manifest'])
        .default('all'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  docstokg sim verify --manifest out/manifest.jsonl --sim http://127.0.0.1:41000\n',
    )
    .action(async (options, self) => {
      const session = openSession(self);
      const { policy, selection, manifest, sim, scope } = options;
      const result = await compareWithTruth(sim, manifest, { policy: await readPolicy(policy, selection), scope });
      const [differences, violations] = [result.differences?.length ?? 0, result.violations.total];
      session.print(result);
      session.info(`differences: ${differences}, violations: ${violations}`);
      if (violations + differences > 0) process.exitCode = 1;
    });
}

async function readPolicy(path: string | undefined, selection: string | undefined): Promise<Policy> {
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
