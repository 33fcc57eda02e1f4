import type { Command, HelpConfiguration } from 'commander';
import { Option } from 'commander';

import type { Clock } from '../base/index.ts';
import { systemClock } from '../base/index.ts';
import type { Layer, Loaded } from '../config/index.ts';
import { loadConfig } from '../config/index.ts';
import { recordText } from './record-text.ts';
import { setOption, settingsMade } from './setting-options.ts';
import type { Terminal } from './terminal.ts';
import { openTerminal, plain } from './terminal.ts';

const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof LEVELS)[number];

interface SharedOptions {
  readonly config?: string;
  readonly profile?: string;
  readonly logLevel?: LogLevel;
  readonly json?: boolean;
  readonly color?: boolean;
}

interface MessageEvent {
  readonly kind: 'message';
  readonly level: LogLevel;
  readonly message: string;
}

/** What a command needs once its options are parsed. */
export interface Session {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly json: boolean;
  log(level: LogLevel, message: string): void;
  readonly logMessage: (event: { readonly kind: string } | MessageEvent) => void;
  /** Prints the result of a command: as JSON with `--json`, otherwise the text, by default made of the value. */
  print(value: unknown, text?: string | (() => string)): void;
  /** The resolved settings; `flags` override the command's options. */
  load(flags?: Layer): Loaded;
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

export function shared(command: Command): Command {
  const configured = command
    .configureHelp(helpOrder)
    .addOption(
      new Option(
        '-c, --config <file>',
        'configuration file (YAML or JSON); default: docstokg.yaml in the current directory',
      ).helpGroup(EVERYWHERE),
    )
    .addOption(new Option('--profile <name>', 'profile of the configuration file to apply').helpGroup(EVERYWHERE))
    .addOption(setOption().helpGroup(EVERYWHERE));
  return outputOptions(configured).helpOption('-h, --help', 'show this help');
}

export function outputOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--log-level <level>', 'log level for stderr')
        .choices([...LEVELS])
        .default('info')
        .helpGroup(EVERYWHERE),
    )
    .addOption(new Option('--json', 'machine-readable output').helpGroup(EVERYWHERE))
    .addOption(new Option('--no-color', 'disable colours').helpGroup(EVERYWHERE));
}

export function openSession(command: Command): Session {
  const options = command.opts<SharedOptions>();
  const terminal = openTerminal({ colour: options.color !== false });
  const threshold = LEVELS.indexOf(options.logLevel ?? 'info');
  const colours = { error: 'red', warn: 'yellow', info: 'dim', debug: 'dim' } as const;
  const warned = new Set<string>();
  const bold = (text: string): string => terminal.style('bold', text, 'stdout');
  const session: Session = {
    terminal,
    clock: systemClock,
    json: options.json ?? false,
    log(level, message) {
      if (LEVELS.indexOf(level) <= threshold)
        terminal.note(`${terminal.style(colours[level], level.padEnd(5))} ${plain(message)}`);
    },
    logMessage: (event) => {
      if ('message' in event) session.log(event.level, event.message);
    },
    print: (value, text = () => recordText(value as object, session.clock.now(), bold)) => {
      if (session.json) terminal.print(JSON.stringify(value));
      else terminal.print(typeof text === 'string' ? text : text());
    },
    load: (flags = []) => {
      const { config: file, profile } = options;
      const loaded = loadConfig({ file, profile, flags: [...settingsMade(command), ...flags] });
      for (const warning of loaded.warnings.filter((each) => !warned.has(each))) {
        warned.add(warning);
        session.log('warn', warning);
      }
      return loaded;
    },
  };
  return session;
}
