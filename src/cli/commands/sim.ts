import { createReadStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

import { Command, Option } from 'commander';

// Types only: the simulator is loaded when a command runs.
import type { Aspect, LogEntry, ManifestLine, Policy, TruthLine } from '../../../sim/index.ts';
import { AppError, JsonlWriter, parseJsonl } from '../../base/index.ts';
import { loadSimulation } from '../load-simulation.ts';
import { openSession } from '../session.ts';
import type { WorldOptions } from '../sim-options.ts';
import { everywhere, parametersOf, scale, wholeNumber, worldOptions } from '../sim-options.ts';
import { call, jsonLines, post, printVerification } from '../sim-admin.ts';
import { table } from '../terminal.ts';

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
    .addOption(
      new Option('--port <n>', 'port of the simulated web; 0 picks a free one').argParser(wholeNumber).default(0),
    )
    .addOption(
      new Option('--admin-port <n>', 'port of the admin API; 0 picks a free one').argParser(wholeNumber).default(0),
    )
    .addOption(new Option('--time-scale <x>', 'real seconds per simulated second').argParser(scale).default(1))
    .addOption(new Option('--state <dir>', 'folder for world.json, requests.jsonl and violations.json'))
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
        if (session.json) session.terminal.print(JSON.stringify(about));
        else
          session.terminal.print(
            `sim       ${about.sim}\nweb       ${about.web}\nidentity  ${identity}\nworld     ${parameters.works} works, ${parameters.hosts} hosts, ${parameters.profile}, seed ${parameters.seed}, time scale ${options.timeScale}`,
          );
        if (!options.leash) session.log('info', `give clients --sim ${about.sim}; Ctrl-C stops`);
        await ended;
        const counts = countByRule(simulation.log.violations);
        if (options.state)
          writeFileSync(
            join(options.state, 'violations.json'),
            `${JSON.stringify({ by_rule: counts, violations: simulation.log.violations }, undefined, 2)}\n`,
          );
        session.log('info', `${simulation.log.violations.length} violations`);
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

function truthCommand(): Command {
  return everywhere(worldOptions(new Command('truth')))
    .description('print what a correct client should obtain from a world, one JSON line per work')
    .addOption(new Option('--policy <file>', 'JSON file with the client’s permissions; default: everything is allowed'))
    .addOption(
      new Option(
        '--selection <query>',
        'only works that OpenAlex returns for this query, for example filter=topics.id:T10341',
      ),
    )
    .addOption(new Option('--totals', 'print only the totals'))
    .addOption(new Option('--questions', 'print questions with known answers in the documents instead'))
    .addHelpText('after', '\nExample:\n  docstokg sim truth --seed 7 --profile calm > truth.jsonl\n')
    .action(
      async (
        options: WorldOptions & { policy?: string; selection?: string; totals?: boolean; questions?: boolean },
        self: Command,
      ) => {
        const session = openSession(self);
        const { Documents, World, expectedOutcome, plantedQuestions, truthLines } = await loadSimulation();
        const policy = await readPolicy(options);
        const world = new World(parametersOf(options));
        if (options.questions) {
          for (const question of plantedQuestions(world)) session.terminal.print(JSON.stringify(question));
          return;
        }
        if (options.totals) {
          session.terminal.print(
            JSON.stringify({ identity: world.identity, ...expectedOutcome(world, policy).totals }),
          );
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
    .addOption(new Option('--policy <file>', 'JSON file with the client’s permissions'))
    .addOption(new Option('--selection <query>', 'OpenAlex query of the client, for example filter=topics.id:T10341'))
    .addOption(new Option('--only <aspects...>', 'compare only these aspects'))
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
          only?: string[];
          scope: 'all' | 'manifest';
        },
        self: Command,
      ) => {
        const session = openSession(self);
        const { ASPECTS, verify } = await loadSimulation();
        const unknown = options.only?.find((aspect) => !ASPECTS.includes(aspect as Aspect));
        if (unknown !== undefined)
          throw new AppError('USAGE_SIM_ASPECT', `unknown aspect "${unknown}"`, {
            hint: `known: ${ASPECTS.join(', ')}`,
          });
        const report = (await (await call(options.sim, '/__sim/violations')).json()) as {
          readonly total: number;
          readonly by_rule: Readonly<Record<string, number>>;
        };
        const { manifest: path, scope, only } = options;
        const result =
          path === undefined
            ? undefined
            : verify(await truthFrom(options.sim, await readPolicy(options)), await readManifest(path), {
                scope,
                ...(only && { aspects: only as Aspect[] }),
              });
        if (session.json) session.terminal.print(JSON.stringify({ ...result, violations: report }));
        else {
          if (result) printVerification(session, result);
          session.terminal.print(table(Object.entries(report.by_rule), ['rule', 'violations']));
        }
        if (report.total > 0 || (result?.differences.length ?? 0) > 0) process.exitCode = 1;
      },
    );
}

async function truthFrom(sim: string, policy: Policy): Promise<TruthLine[]> {
  const truth: TruthLine[] = [];
  for await (const line of jsonLines(await post(sim, '/__sim/truth', policy))) truth.push(line as TruthLine);
  return truth;
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

async function readManifest(path: string): Promise<Map<string, ManifestLine>> {
  const { parseManifestLine } = await loadSimulation();
  const manifest = new Map<string, ManifestLine>();
  for await (const read of parseJsonl(createReadStream(path) as AsyncIterable<Uint8Array>, { tornTail: 'keep' })) {
    const line = read.kind === 'bad' ? { fault: read.reason } : parseManifestLine(read.value);
    if ('fault' in line)
      throw new AppError('SIM_MANIFEST', `${path} line ${read.line}: ${line.fault}`, {
        hint: 'see docs/reference/simulator.md for the format',
      });
    manifest.set(line.work, line);
  }
  return manifest;
}
