import { createReadStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

import { Command, Option } from 'commander';

// The simulator is test equipment: nothing of it is loaded before one of these commands runs.
import type { Aspect, LogEntry, ManifestLine, Policy, TruthLine } from '../../../sim/index.ts';
import { AppError, JsonlWriter, parseJsonl } from '../../base/index.ts';
import { loadSimulation } from '../load-simulation.ts';
import { openSession } from '../session.ts';
import type { WorldOptions } from '../sim-options.ts';
import { everywhere, parametersOf, scale, wholeNumber, worldOptions } from '../sim-options.ts';
import { call, jsonLines, post, printVerification } from '../sim-admin.ts';
import { table } from '../terminal.ts';

/** `sim serve | truth | questions | verify | violations | mutate | replay`. */
export function simCommand(): Command {
  const command = new Command('sim').description('rehearse against a simulated scholarly web on this machine');
  command.addCommand(serveCommand());
  command.addCommand(truthCommand());
  command.addCommand(questionsCommand());
  command.addCommand(verifyCommand());
  command.addCommand(violationsCommand());
  command.addCommand(mutateCommand());
  command.addCommand(replayCommand());
  return command;
}

function serveCommand(): Command {
  return everywhere(worldOptions(new Command('serve')))
    .description('serve a simulated world until interrupted; prints the address to give to clients')
    .addOption(
      new Option('--port <n>', 'port of the simulated web; 0 lets the system choose').argParser(wholeNumber).default(0),
    )
    .addOption(
      new Option('--admin-port <n>', 'port of the admin plane; 0 lets the system choose')
        .argParser(wholeNumber)
        .default(0),
    )
    .addOption(new Option('--time-scale <x>', 'real seconds per simulated second').argParser(scale).default(1))
    .addOption(new Option('--state <dir>', 'folder for world.json, requests.jsonl and violations.json'))
    .addOption(new Option('--leash', 'end with standard input, which is whoever started it').hideHelp())
    .addHelpText('after', '\nExample:\n  docstokg sim serve --seed 7 --profile realistic --time-scale 0.05\n')
    .action(
      async (
        options: WorldOptions & { port: number; adminPort: number; timeScale: number; state?: string; leash?: boolean },
        self: Command,
      ) => {
        const session = openSession(self);
        // Before anybody is told that it runs, since whoever is told may send a signal at once.
        const ended = options.leash ? leash() : Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
        const { Admin, Simulation, countByRule } = await loadSimulation();
        if (options.state) mkdirSync(options.state, { recursive: true });
        // Declared first, so that it is closed last: requests end when their connections do.
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
        // In the politeness world every violation is fatal.
        if (options.profile === 'politeness' && simulation.log.violations.length > 0) process.exitCode = 1;
      },
    );
}

/** Resolves when whoever holds standard input has gone, however that came. Ctrl-C is for him, who may have to finish. */
async function leash(): Promise<void> {
  for (const name of ['SIGINT', 'SIGHUP']) process.on(name, () => undefined);
  process.stdin.resume();
  await Promise.race([once(process.stdin, 'close'), once(process, 'SIGTERM')]);
}

function truthCommand(): Command {
  return everywhere(worldOptions(new Command('truth')))
    .description('print what a correct client obtains from a world, one JSON line per work')
    .addOption(new Option('--policy <file>', 'JSON with what the client may do; default: everything'))
    .addOption(
      new Option('--selection <query>', 'only works that OpenAlex lists for this, for example filter=topics.id:T10341'),
    )
    .addOption(new Option('--totals', 'print only the totals'))
    .addHelpText('after', '\nExample:\n  docstokg sim truth --seed 7 --profile calm > truth.jsonl\n')
    .action(
      async (options: WorldOptions & { policy?: string; selection?: string; totals?: boolean }, self: Command) => {
        const session = openSession(self);
        const { Documents, World, expectedOutcome, truthLines } = await loadSimulation();
        const policy = await readPolicy(options);
        const world = new World(parametersOf(options));
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

function questionsCommand(): Command {
  return everywhere(worldOptions(new Command('questions')))
    .description('print questions whose answers are planted in the documents of a world, one JSON line each')
    .addHelpText('after', '\nExample:\n  docstokg sim questions --seed 7 --works 50 > questions.jsonl\n')
    .action(async (options: WorldOptions, self: Command) => {
      const session = openSession(self);
      const { World, plantedQuestions } = await loadSimulation();
      for (const question of plantedQuestions(new World(parametersOf(options))))
        session.terminal.print(JSON.stringify(question));
    });
}

function verifyCommand(): Command {
  return everywhere(new Command('verify'))
    .description('compare a client’s manifest with the truth; exit 1 on any difference')
    .requiredOption('--manifest <file>', 'the manifest, one JSON line per work')
    .requiredOption('--sim <url>', 'the address that sim serve printed')
    .addOption(new Option('--policy <file>', 'JSON with what the client was allowed to do'))
    .addOption(
      new Option(
        '--selection <query>',
        'the works that the client asked OpenAlex for, for example filter=topics.id:T10341',
      ),
    )
    .addOption(new Option('--only <aspects...>', 'compare only these aspects'))
    .addOption(
      new Option('--scope <works>', 'all works of the world, or only those in the manifest')
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
          manifest: string;
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
          throw new AppError('USAGE_SIM_ASPECT', `"${unknown}" cannot be compared`, {
            hint: `known: ${ASPECTS.join(', ')}`,
          });
        const policy = await readPolicy(options);
        const truth: TruthLine[] = [];
        for await (const line of jsonLines(await post(options.sim, '/__sim/truth', policy)))
          truth.push(line as TruthLine);
        const result = verify(truth, await readManifest(options.manifest), {
          scope: options.scope,
          ...(options.only && { aspects: options.only as Aspect[] }),
        });
        if (session.json) session.terminal.print(JSON.stringify(result));
        else printVerification(session, result);
        if (result.differences.length > 0) process.exitCode = 1;
      },
    );
}

function violationsCommand(): Command {
  return everywhere(new Command('violations'))
    .description('report how often clients broke a rule of politeness; exit 1 if they did')
    .requiredOption('--sim <url>', 'the address that sim serve printed')
    .addHelpText('after', '\nExample:\n  docstokg sim violations --sim http://127.0.0.1:41000\n')
    .action(async (options: { sim: string }, self: Command) => {
      const session = openSession(self);
      const report = (await (await call(options.sim, '/__sim/violations')).json()) as {
        readonly total: number;
        readonly by_rule: Readonly<Record<string, number>>;
      };
      session.terminal.print(
        session.json ? JSON.stringify(report) : table(Object.entries(report.by_rule), ['rule', 'violations']),
      );
      if (report.total > 0) process.exitCode = 1;
    });
}

function mutateCommand(): Command {
  return everywhere(new Command('mutate'))
    .description('break a running world on purpose, to see that tests notice; the truth stays as it was')
    .requiredOption('--sim <url>', 'the address that sim serve printed')
    .requiredOption('--break <what>', 'resolver:NAME, or none to repair everything')
    .addHelpText('after', '\nExample:\n  docstokg sim mutate --sim http://127.0.0.1:41000 --break resolver:hal\n')
    .action(async (options: { sim: string; break: string }, self: Command) => {
      const session = openSession(self);
      const { broken } = (await (await post(options.sim, '/__sim/mutate', { break: options.break })).json()) as {
        readonly broken: readonly string[];
      };
      session.terminal.print(
        session.json
          ? JSON.stringify({ broken })
          : broken.length === 0
            ? 'nothing is broken'
            : `broken: ${broken.join(', ')}`,
      );
    });
}

function replayCommand(): Command {
  return everywhere(new Command('replay'))
    .description('send the requests of a log again, in order, and tell where the answers differ; exit 1 if they do')
    .argument('<log>', 'requests.jsonl of an earlier run')
    .requiredOption('--sim <url>', 'the address that sim serve printed')
    .addHelpText('after', '\nExample:\n  docstokg sim replay state/requests.jsonl --sim http://127.0.0.1:41000\n')
    .action(async (log: string, options: { sim: string }, self: Command) => {
      const session = openSession(self);
      const { replay } = await loadSimulation();
      const { web } = (await (await call(options.sim, '/__sim/world')).json()) as { readonly web: string };
      await post(options.sim, '/__sim/reset', {});
      let differences = 0;
      for await (const one of replay(readLog(log), Number(new URL(web).port))) {
        differences += 1;
        session.terminal.print(session.json ? JSON.stringify(one) : `${one.url}: was ${one.expected}, is ${one.found}`);
      }
      session.log('info', `${differences} answers differ`);
      if (differences > 0) process.exitCode = 1;
    });
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
    throw new AppError('USAGE_SIM_POLICY', `${path} cannot be read as JSON`, { cause: error });
  }
}

async function readManifest(path: string): Promise<Map<string, ManifestLine>> {
  const { parseManifestLine } = await loadSimulation();
  const manifest = new Map<string, ManifestLine>();
  for await (const read of parseJsonl(createReadStream(path) as AsyncIterable<Uint8Array>, { tornTail: 'keep' })) {
    const line = read.kind === 'bad' ? { fault: read.reason } : parseManifestLine(read.value);
    if ('fault' in line)
      throw new AppError('SIM_MANIFEST', `${path} line ${read.line}: ${line.fault}`, {
        hint: 'docs/reference/simulator.md says what a line must hold',
      });
    manifest.set(line.work, line);
  }
  return manifest;
}

async function* readLog(path: string): AsyncGenerator<LogEntry> {
  for await (const line of parseJsonl(createReadStream(path) as AsyncIterable<Uint8Array>, { tornTail: 'drop' }))
    if (line.kind === 'good') yield line.value as LogEntry;
}
