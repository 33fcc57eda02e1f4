import type { CommandUnknownOpts, HelpConfiguration } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import type { Clock } from '../base/index.ts';
import { AppError, duration, systemClock } from '../base/index.ts';
import type { FlagPlace, Key, Layer, Loaded } from '../config/index.ts';
import { loadConfig, parseText, settingsTable, suggestion } from '../config/index.ts';
import type { CorpusEvent } from '../corpus/index.ts';
import type { IndexEvent } from '../search/index.ts';
import type { WebTime } from '../run/index.ts';
import { collect } from './options.ts';
import { recordText } from './record-text.ts';
import type { Terminal } from './terminal.ts';
import { count, counted, openTerminal, plain } from './terminal.ts';

const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof LEVELS)[number];
const COLOURS = { error: 'red', warn: 'yellow', info: 'dim', debug: 'dim' } as const;

interface SharedOptions {
  readonly config?: string;
  readonly profile?: string;
  readonly logLevel?: LogLevel;
  readonly json?: boolean;
  readonly color?: boolean;
  readonly database?: string;
}

const EVERYWHERE = 'Everywhere:';

/** Puts the options of the command first and the shared options last. */
const helpOrder: HelpConfiguration = {
  groupItems(_all, visible, groupOf) {
    const groups = Map.groupBy(visible, groupOf);
    const everywhere = groups.get(EVERYWHERE);
    if (everywhere && groups.delete(EVERYWHERE)) groups.set(EVERYWHERE, everywhere);
    return groups;
  },
};

export function shared<Given extends CommandUnknownOpts>(command: Given): Given {
  command
    .optionsGroup(EVERYWHERE)
    .option('-c, --config <file>', 'configuration file (YAML or JSON); default: docstokg.yaml in the current directory')
    .option('--profile <name>', 'profile of the configuration file to apply')
    .option('--set <key=value>', 'any setting that docstokg config lists; repeatable', collect);
  return outputOptions(command.configureHelp(helpOrder)).helpOption('-h, --help', 'show this help');
}

export function outputOptions<Given extends CommandUnknownOpts>(command: Given): Given {
  command
    .optionsGroup(EVERYWHERE)
    .addOption(new Option('--log-level <level>', 'log level for stderr').choices(LEVELS).default('info'))
    .option('--json', 'machine-readable output')
    .option('--no-color', 'disable colours')
    .optionsGroup('Options:');
  return command;
}

/** What a command writes with, and where it gets its settings. */
export interface Session {
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** The time and the requests of a simulated web; undefined for the real one. */
  web: WebTime | undefined;
  /** Whether `--json` was given. */
  readonly json: boolean;
  /** The address of the corpus that was named by `--database`; undefined if it is in a folder. */
  readonly database: string | undefined;
  readonly log: (level: LogLevel, message: string) => void;
  readonly warn: (message: string) => void;
  readonly info: (message: string) => void;
  /** Logs the messages of a corpus, and shows how its index is built. */
  readonly tell: (event: CorpusEvent) => void;
  /** Prints the result of a command: as JSON with `--json`, otherwise the text, by default made of the value. */
  readonly print: (value: unknown, text?: string | (() => string)) => void;
  /** The resolved settings; `flags` override the command's options. */
  readonly load: (flags?: Layer) => Loaded;
}

/** Opens the session of a command with its shared options. */
export function openSession(command: CommandUnknownOpts): Session {
  const options = command.opts() as SharedOptions;
  const terminal = openTerminal({ colour: options.color !== false });
  const json = options.json ?? false;
  const threshold = LEVELS.indexOf(options.logLevel ?? 'info');
  const warned = new Set<string>();
  const bold = (text: string): string => terminal.style('bold', text, 'stdout');
  const log = (level: LogLevel, message: string): void => {
    if (LEVELS.indexOf(level) <= threshold)
      terminal.note(`${terminal.style(COLOURS[level], level.padEnd(5))} ${plain(message)}`);
  };
  const indexing = indexProgress(terminal, log);
  return {
    terminal,
    clock: systemClock,
    web: undefined,
    json,
    database: options.database,
    log,
    warn: (message) => log('warn', message),
    info: (message) => log('info', message),
    tell: (event) => {
      if (event.kind === 'message') log(event.level, event.message);
      else if (event.kind === 'index') indexing(event.event);
    },
    print: (value, text) => {
      const shown = text ?? (() => recordText(value as object, systemClock.now(), bold));
      if (json) terminal.print(JSON.stringify(value));
      else terminal.print(typeof shown === 'string' ? shown : shown());
    },
    load: (flags = []) => {
      const { config: file, profile } = options;
      const loaded = loadConfig({ file, profile, flags: [...settingsMade(command), ...flags] });
      for (const warning of loaded.warnings.filter((each) => !warned.has(each))) {
        warned.add(warning);
        log('warn', warning);
      }
      return loaded;
    },
  };
}

function indexProgress(terminal: Terminal, log: (level: LogLevel, message: string) => void) {
  const wordsOnly = new Map<string, number>();
  let startedAt = 0;
  return (event: IndexEvent): void => {
    switch (event.kind) {
      case 'index-started': {
        const verb = event.kept === undefined ? 'building' : 'updating';
        startedAt = systemClock.monotonic();
        log('info', `${verb} the index of ${counted(event.documents, 'document')}`);
        break;
      }
      case 'index-progress': {
        const passages = counted(event.passages, 'passage');
        const line = `index: ${count(event.documents)} of ${counted(event.of, 'document')}, ${passages}`;
        if (terminal.live) terminal.status(line);
        break;
      }
      case 'index-words-only':
        wordsOnly.set(event.reason, (wordsOnly.get(event.reason) ?? 0) + 1);
        break;
      case 'index-unreadable':
        log('warn', `${event.message}: the next docstokg run rebuilds it`);
        break;
      case 'index-ended': {
        const took = duration(systemClock.monotonic() - startedAt);
        log('info', `${counted(event.passages, 'passage')} indexed in ${took}`);
        for (const [reason, documents] of wordsOnly)
          log('warn', `${counted(documents, 'document')} can only be found by words: ${reason}`);
        wordsOnly.clear();
      }
    }
  };
}

/** Options of commands that also ask a corpus in PostgreSQL. */
export function databaseOptions<Given extends CommandUnknownOpts>(command: Given): Given {
  command
    .optionsGroup('A corpus in PostgreSQL:')
    .option(
      '--database <url>',
      'ask the corpus of a fleet in this database, from any machine (postgres://user@host/db)',
    );
  settingOptions(command, ['database']).optionsGroup('Options:');
  return command;
}

const KEYS = new WeakMap<Option, Key>();

/** Adds an option for every setting under these paths that declares one. */
export function settingOptions<Given extends CommandUnknownOpts>(
  command: Given,
  places: readonly FlagPlace[],
  keys = settingsTable().keys,
): Given {
  for (const key of keys)
    for (const { option, at } of key.flags) if (places.includes(at)) command.addOption(optionOf(option, key));
  return command;
}

/** The settings set by the options of a parsed command; options not given are omitted. */
export function settingsMade(command: CommandUnknownOpts): Layer {
  const { set = [] } = command.opts() as { readonly set?: readonly string[] };
  const made = set.map((text) => {
    const [, name = '', value = ''] = /^([\w.-]+)=(.*)$/s.exec(text) ?? [];
    const { keys } = settingsTable();
    const key = keys.find((each) => each.name === name);
    if (key) return { path: key.path, value: parseText(value, key.type), origin: `option --set ${name}` };
    const unknown = `unknown setting "${name}"${suggestion(name, 'option', keys)}`;
    throw new AppError('USAGE_SETTING', name === '' ? `--set ${text}: expected KEY=VALUE` : unknown, {
      hint: 'docstokg config lists every setting',
    });
  });
  return command.options
    .flatMap((option): Layer => {
      const key = KEYS.get(option);
      const name = option.attributeName();
      if (!key || command.getOptionValueSource(name) !== 'cli') return [];
      return [{ path: key.path, value: command.getOptionValue(name), origin: `option ${option.long ?? ''}` }];
    })
    .concat(made);
}

/** The default of a setting as shown in help; empty if it depends on the stage. */
function defaultOf({ default: value }: Key): string {
  if (value === null || value === undefined || value === false || value === '') return '';
  const text = Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' || text === '{}' ? '' : `, default ${text}`;
}

function optionOf(flags: string, key: Key): Option {
  const sentence = key.sentence.replace(/\.$/, '');
  const said = /^[A-Z][a-z]/.test(sentence) ? `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence;
  const words = flags.startsWith('--no-') ? `turn off: ${said}` : said;
  const option = new Option(flags, `${words} (${key.name}${defaultOf(key)})`);
  KEYS.set(option, key);
  if (key.choices.length > 0) return option.choices(key.choices);
  if (key.type === 'boolean' || key.type === 'string') return option;
  return option.argParser((text) => {
    const value = parseText(text, key.type);
    if (value !== text) return value;
    throw new InvalidArgumentError(
      { integer: 'expected an integer', number: 'expected a number' }[key.type] ?? 'expected the form a:2,b:3',
    );
  });
}

/** Exit codes that shells expect for processes ended by a signal. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Turns signals into an abort signal. A second one exits at once, which is safe: all work survives a kill. */
export function stopSignal(first?: (signal: string) => void): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals): void => {
    process.exitCode = EXIT_CODES[name] ?? 1;
    if (controller.signal.aborted) {
      // The progress line has no newline; without one the shell prompt would start behind it.
      if (process.stderr.isTTY) process.stderr.write('\n');
      process.exit();
    }
    first?.(name);
    controller.abort();
  };
  const names = Object.keys(EXIT_CODES) as NodeJS.Signals[];
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of names) process.removeListener(name, stop);
    },
  };
}
