import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';

import { CommanderError } from 'commander';

import { Admin } from '../../sim/index.ts';
import { sha256, systemClock } from '../../src/base/index.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { exitCode, openTerminal, printError } from '../../src/cli/terminal.ts';
import { Records } from '../../src/database/index.ts';
import { CHEAPLY, INLINE } from './bin.ts';
import { openWorld, PATIENCE } from './harvest.ts';
import { readOnly } from './read-only.ts';

export const DAMAGES = [
  'missing',
  'empty',
  'shortened',
  'one byte changed',
  'foreign',
  'older',
  'newer',
  'read-only',
] as const;
export type Damage = (typeof DAMAGES)[number];

export const COMMANDS = ['search', 'ask', 'export', 'set', 'screen', 'serve', 'run', 'reindex'] as const;
export type DamagedCommand = (typeof COMMANDS)[number];

/** One file of a run folder and what happened to it. */
export interface Wound {
  readonly file: string;
  readonly damage: Damage;
}

/** What a command did with a damaged folder. */
export interface Verdict {
  readonly wounds: readonly Wound[];
  readonly command: DamagedCommand;
  readonly code: number;
  /** Warnings and errors that the command printed. */
  readonly said: readonly string[];
  /** What must not happen; empty if all is well. */
  readonly faults: readonly string[];
}

/** Logs whose lines people have written, or cannot be fetched again. */
const PRECIOUS = ['decisions.jsonl', 'records.jsonl', 'manifest.jsonl'];
const FOREIGN_TEXT = 'Minutes of the meeting of 3 May, which nobody else has written down.\n';

/** A small complete run folder, an older state of it, and the simulated web it came from. */
export interface DamageScene extends AsyncDisposable {
  readonly files: readonly string[];
  /** Damages a copy of the folder, runs a command on it, and compares what is left with what there was. */
  judge(wounds: readonly Wound[], command: DamagedCommand): Promise<Verdict | undefined>;
}

/** Makes the folder with the program itself, offline. */
export async function openDamageScene(): Promise<DamageScene> {
  await using stack = new AsyncDisposableStack();
  const scratch = stack.use(await mkdtempDisposable(join(tmpdir(), 'docstokg-damage-')));
  const world = {
    seed: 3,
    works: 2,
    hosts: 2,
    profile: 'calm',
    documents: 'plain',
    timeScale: 0.005,
    workers: 4,
  } as const;
  const simulation = stack.use(await openWorld(world));
  const admin = stack.use(await Admin.open(simulation));
  const ids = [...simulation.world.works()].map(({ id }) => id);
  const environment = {
    ...CHEAPLY,
    ...INLINE,
    ...PATIENCE,
    DOCSTOKG_PARSE__DENSE: 'none',
    DOCSTOKG_STAGE__DURABLE: 'false',
    DOCSTOKG_PARSE__TOKENIZER: 'cl100k',
    DOCSTOKG_STORE__URL: join(scratch.path, 'store'),
  };
  const [whole, older, copy] = ['whole', 'older', 'copy'].map((name) => join(scratch.path, name)) as [
    string,
    string,
    string,
  ];
  const run = async (folder: string, some: readonly string[]): Promise<void> => {
    const { code, printed } = await inProcess(['run', ...some, '--sim', admin.url, '--out', folder], environment);
    if (code !== 0) throw new Error(`the run folder could not be made: ${printed}`);
  };
  await run(whole, ids.slice(0, 1));
  decide(whole, ids.slice(0, 1));
  cpSync(whole, older, { recursive: true, preserveTimestamps: true });
  await run(whole, ids);
  decide(whole, ids.slice(1));
  await inProcess(['export', whole, '--format', 'report'], environment);
  {
    using database = new DatabaseSync(join(whole, 'corpus.sqlite'));
    database.exec('pragma wal_checkpoint(truncate)');
  }
  for (const ending of ['-wal', '-shm']) rmSync(join(whole, `corpus.sqlite${ending}`), { force: true });
  const before = linesOf(whole);
  const places = { older, sim: admin.url, environment };
  const opened = stack.move();
  return {
    files: representatives(whole),
    async judge(wounds, command) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(whole, copy, { recursive: true, preserveTimestamps: true });
      using healed = new DisposableStack();
      for (const wound of wounds) {
        const undo = inflict(join(copy, wound.file), join(older, wound.file), wound.damage);
        if (undo === undefined) return undefined;
        healed.use(undo);
      }
      return await judged(copy, { wounds, command, before, ...places });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A reviewer's decision about each work, and a saved set. */
function decide(folder: string, works: readonly string[]): void {
  using records = Records.open(folder);
  const rest = { phase: 'title-abstract', by: 'ada', reason: null, note: null, criteria: 0, rank: null } as const;
  for (const work of works) {
    const id = `decision-${work}`;
    const at = new Date(systemClock.now()).toISOString();
    records.screen([{ kind: 'screened', id, work, decision: 'include', at, ...rest }]);
    records.saveSet({ name: `about-${work}`, works: [work], filter: null }, at);
  }
}

/** The first file of each folder and kind: what holds for one chunk file holds for all. */
function representatives(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile() && !/-(?:wal|shm)$/.test(name))
    .sort();
  const kindOf = (name: string): string => {
    const isOne = dirname(name) === '.' || ['state', join('Data', 'Manifests')].includes(dirname(name));
    return isOne ? name : `${dirname(name)}/${basename(name).replace(/^[^.]*/, '')}`;
  };
  return [...Map.groupBy(names, kindOf).values()].flatMap(([first]) => first ?? []);
}

/** Damages a file; undefined where that means nothing for it, or is impossible here. */
function inflict(path: string, older: string, damage: Damage): Disposable | undefined {
  const none: Disposable = { [Symbol.dispose]: () => undefined };
  const { size } = statSync(path);
  const isDatabase = extname(path) === '.sqlite';
  switch (damage) {
    case 'missing':
      rmSync(path);
      return none;
    case 'empty':
      if (size === 0) return undefined;
      truncateSync(path, 0);
      return none;
    case 'shortened':
      if (size < 2) return undefined;
      truncateSync(path, Math.floor(size / 2));
      return none;
    case 'one byte changed': {
      if (size === 0) return undefined;
      const bytes = readFileSync(path);
      const at = Math.floor(size * 0.4);
      bytes[at] = (bytes[at] ?? 0) ^ 0x15;
      writeFileSync(path, bytes);
      return none;
    }
    case 'foreign': {
      rmSync(path);
      if (!isDatabase) {
        writeFileSync(path, FOREIGN_TEXT);
        return none;
      }
      using other = new DatabaseSync(path);
      other.exec(`create table minutes (line text); pragma user_version = 1`);
      other.prepare('insert into minutes values (?)').run(FOREIGN_TEXT);
      return none;
    }
    case 'older':
      if (!existsSync(older) || readFileSync(older).equals(readFileSync(path))) return undefined;
      copyFileSync(older, path);
      return none;
    case 'newer':
      return makeNewer(path, isDatabase) ? none : undefined;
    case 'read-only': {
      if (process.getuid?.() === 0) return readOnly(path);
      chmodSync(path, 0o444);
      return none;
    }
  }
}

function makeNewer(path: string, isDatabase: boolean): boolean {
  if (isDatabase) {
    using database = new DatabaseSync(path);
    database.exec('pragma user_version = 9999');
    return true;
  }
  if (path.endsWith('.jsonl') && !path.includes('DocTags')) {
    writeFileSync(path, '{"kind":"of the year 2040","schema_version":"99"}\n', { flag: 'a' });
    return true;
  }
  if (!path.endsWith('.json')) return false;
  const value = JSON.parse(readFileSync(path, 'utf8')) as object;
  if (Array.isArray(value)) return false;
  writeFileSync(path, JSON.stringify({ ...value, version: 99, schema_version: '99', of_the_year_2040: true }));
  return true;
}

interface Case {
  readonly wounds: readonly Wound[];
  readonly command: DamagedCommand;
  /** The lines of the undamaged folder. */
  readonly before: ReadonlySet<string>;
  readonly older: string;
  readonly sim: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function judged(folder: string, { wounds, command, before, sim, environment }: Case): Promise<Verdict> {
  const faults: string[] = [];
  const foreign = wounds.filter(({ damage }) => damage === 'foreign').map(({ file }) => join(folder, file));
  const strangers = foreign.map((path) => ({ path, hash: sha256(readFileSync(path)) }));
  const database = join(folder, 'corpus.sqlite');
  const knownBefore = keptLines(database);
  const present = linesOf(folder);
  const left = [...before].filter((line) => present.has(line));
  const { code, printed } = await started(command, folder, sim, environment);
  const said = printed.split('\n').filter((line) => /^(?:warn|error|hint)\b/.test(line));
  if (/\n\s+at .+:\d+/.test(printed) || /UNEXPECTED|ENDED_EARLY/.test(printed))
    faults.push(`prints a stack or an error without a code: ${printed.slice(0, 600)}`);
  if (code !== 0 && !said.some((line) => /^error [A-Z][A-Z_0-9]+ /.test(line))) {
    const hasFailures = command === 'run' && /failed|crashed/.test(printed);
    if (!hasFailures) faults.push(`ends with ${code} and no error code: ${printed.slice(0, 600)}`);
  }
  const after = linesOf(folder);
  const lost = left.filter((line) => !after.has(line));
  if (lost.length > 0) faults.push(`${lost.length} lines are gone, such as ${lost[0]?.slice(0, 100)}`);
  if (code === 0) {
    const known = keptLines(database);
    // Lines that only a damaged log has are read when it is mended, which a command that only reads leaves to the user.
    const isTold = said.some((line) => line.includes('decisions.jsonl') && line.includes('reindex'));
    const wanted = isTold ? left.filter((line) => knownBefore.has(line)) : left;
    const unknown = wanted.filter((line) => line.startsWith('decisions') && !known.has(line));
    if (unknown.length > 0) faults.push(`${unknown.length} decisions are no longer known, such as ${unknown[0]}`);
  }
  const hashes = strangers.length === 0 ? new Set<string>() : hashesIn(folder);
  for (const { path, hash } of strangers)
    if (!hashes.has(hash)) faults.push(`the foreign file ${basename(path)} is gone`);
  return { wounds, command, code, said, faults };
}

/** Every complete line of the precious logs that some file of the folder still has. */
function linesOf(folder: string): Set<string> {
  const found = new Set<string>();
  for (const name of readdirSync(folder)) {
    const log = PRECIOUS.find((each) => name.startsWith(each) && !name.endsWith('.lock'));
    if (log !== undefined)
      for (const line of readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1)) found.add(`${log} ${line}`);
    if (/^corpus\.sqlite(?!-|.*-(?:wal|shm)$)/.test(name))
      for (const line of keptLines(join(folder, name))) found.add(line);
  }
  return found;
}

/** The lines of logs that a database has kept. */
function keptLines(path: string): Set<string> {
  const found = new Set<string>();
  if (!existsSync(path)) return found;
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const rows = database.prepare('select log, content from log_pieces order by log, start').all();
    for (const { log, content } of rows) {
      if (!PRECIOUS.includes(String(log))) continue;
      const text = zstdDecompressSync(content as Uint8Array).toString('utf8');
      for (const line of text.split('\n').slice(0, -1)) found.add(`${String(log)} ${line}`);
    }
  } catch {
    // A damaged or foreign file knows what was read of it so far.
  }
  return found;
}

function hashesIn(folder: string): Set<string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return new Set(paths.map((path) => sha256(readFileSync(path))));
}

async function started(
  command: DamagedCommand,
  folder: string,
  sim: string,
  environment: Case['environment'],
): Promise<Ended> {
  switch (command) {
    case 'search':
      return await inProcess(['search', folder, '--lexical', 'coral reefs and heat'], environment);
    case 'ask':
      return await inProcess(['ask', folder, 'What happened to the corals?'], environment);
    case 'export':
      return await inProcess(['export', folder, '--format', 'bibtex'], environment);
    case 'set':
      return await inProcess(['set', folder, 'new', '--filter', 'year:1900-'], environment);
    case 'screen':
      return await inProcess(['screen', folder, '--status'], environment);
    case 'run':
      return await inProcess(['run', '--out', folder, '--sim', sim], environment);
    case 'reindex':
      return await inProcess(['reindex', folder], environment);
    case 'serve':
      return await served(folder, environment);
  }
}

interface Ended {
  readonly code: number;
  readonly printed: string;
}

/** Asks a server for what its pages show, and stops it. */
async function served(folder: string, environment: Case['environment']): Promise<Ended> {
  const asked = ['now', 'account', 'works', 'search?q=reefs', 'screening', 'hosts', 'documents'];
  let answers = '';
  const ended = await inProcess(['serve', folder, '--port', '0', '--json'], environment, async (printed) => {
    const { link, token, runs } = JSON.parse(printed) as { link: string; token: string; runs: readonly string[] };
    for (const path of asked) {
      const url = new URL(`/api/v1/runs/${runs[0]}/${path}`, link);
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, connection: 'close' } });
      const text = await response.text();
      if (response.status >= 500)
        answers += `error ${/"code":"([A-Z_]+)"/.exec(text)?.[1] ?? 'UNEXPECTED'} ${path} ${text}\n`;
    }
    process.emit('SIGINT');
  });
  return { ...ended, printed: ended.printed + answers };
}

/** Runs a command line in this process, which is much faster than to start one; `when` is called with what it prints first. */
async function inProcess(
  parameters: readonly string[],
  environment: Case['environment'],
  when?: (printed: string) => Promise<void>,
): Promise<Ended> {
  let [printed, shown] = ['', ''];
  const first = Promise.withResolvers<string>();
  const writes = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write.bind(stream) }));
  const listeners = process.listeners('warning');
  const variables = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  process.removeAllListeners('warning').on('warning', ({ message }) => (printed += `warn  ${message}\n`));
  for (const { stream } of writes)
    stream.write = (text: string | Uint8Array) => {
      printed += String(text);
      if (stream === process.stdout) {
        shown += String(text);
        if (shown.includes('\n')) first.resolve(shown);
      }
      return true;
    };
  process.exitCode = 0;
  try {
    const run = runCommandLine('docstokg', '0.0.0', parameters, (text) => (printed += text));
    const watch = when && first.promise.then(when);
    // A server that cannot start prints no link.
    await (watch ? Promise.race([run, watch]).then(() => run) : run);
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? 2 : exitCode(error);
    if (!(error instanceof CommanderError)) printError(error, openTerminal({ colour: false }), false);
  } finally {
    // Warnings of the process come one turn later.
    await pause(0);
    for (const { stream, write } of writes) stream.write = write;
    process.removeAllListeners('warning');
    for (const listener of listeners) process.on('warning', listener);
    for (const [name, value] of variables)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
  const code = process.exitCode;
  process.exitCode = 0;
  return { code, printed };
}

/** Pairs in which one file could have mended the other. */
export function woundPairs(): (readonly [Wound, Wound])[] {
  const damages = ['missing', 'shortened', 'one byte changed', 'older'] as const;
  return ['decisions.jsonl', 'records.jsonl', 'manifest.jsonl', 'objects.jsonl', 'state/workqueue.sqlite'].flatMap(
    (file) =>
      damages.flatMap((first) =>
        damages.map(
          (second) =>
            [
              { file: 'corpus.sqlite', damage: first },
              { file, damage: second },
            ] as const,
        ),
      ),
  );
}

/** One line of the table. */
export function verdictText({ wounds, command, code, said, faults }: Verdict): string {
  const what = wounds.map(({ file, damage }) => `${file} ${damage}`).join(' + ');
  const words = said.map((line) => line.replaceAll(/\/\S*docstokg-damage-[^/]+\/copy\//g, '')).join(' | ');
  return `${faults.length === 0 ? 'ok  ' : 'LOST'} ${what.padEnd(60)} ${command.padEnd(8)} ${code}  ${words.slice(0, 300)}`;
}
