import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import type { FlagPlace, Key, Layer } from '../config/index.ts';
import { parseText, settingsTable } from '../config/index.ts';
import { AppError } from '../base/index.ts';

const KEYS = new WeakMap<Option, Key>();

/** Adds an option for every setting under these paths that declares one. */
export function settingOptions(command: Command, places: readonly FlagPlace[], keys = settingsTable().keys): Command {
  for (const key of keys)
    for (const { option, at } of key.flags) if (places.includes(at)) command.addOption(optionOf(option, key));
  return command;
}

/** `--set KEY=VALUE`, for every setting. */
export function setOption(): Option {
  return new Option('--set <key=value>', 'any setting that docstokg config lists; repeatable').argParser(
    (text, before: readonly string[] | undefined) => [...(before ?? []), text],
  );
}

/** The settings set by the options of a parsed command; options not given are omitted. */
export function settingsMade(command: Command): Layer {
  const { set = [] } = command.opts<{ readonly set?: readonly string[] }>();
  const made = set.map((text) => {
    const [, name = '', value = ''] = /^([\w.-]+)=(.*)$/s.exec(text) ?? [];
    const key = settingsTable().keys.find((each) => each.name === name);
    if (key) return { path: key.path, value: parseText(value, key.type), origin: `option --set ${name}` };
    throw new AppError(
      'USAGE_SETTING',
      name === '' ? `--set ${text}: expected KEY=VALUE` : `unknown setting "${name}"`,
      {
        hint: 'docstokg config lists every setting',
      },
    );
  });
  return command.options
    .flatMap((option): Layer => {
      const key = KEYS.get(option);
      const name = option.attributeName();
      if (!key || command.getOptionValueSource(name) !== 'cli') return [];
      return [
        { path: key.path, value: command.getOptionValue(name) as unknown, origin: `option ${option.long ?? ''}` },
      ];
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
  const words = /^[A-Z][a-z]/.test(sentence) ? `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence;
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
