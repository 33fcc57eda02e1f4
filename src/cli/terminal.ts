import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Written together with what follows, so that nothing flickers. */
export const CLEAR = '\u001B[H\u001B[2J';

/** Where a command writes: data to stdout, everything else to stderr. */
export interface Terminal {
  /** A person looks at stderr and it can rewrite its last line. */
  readonly live: boolean;
  readonly columns: number;
  print(text: string): void;
  note(text: string): void;
  /** Shows a line that the next one replaces; plain text where there is no terminal. */
  status(text: string): void;
  /** Takes the status line away. */
  clear(): void;
  style(style: Style, text: string, stream?: 'stdout' | 'stderr'): string;
}

/** The process's own terminal. Colours only where a person reads and has not said NO_COLOR. */
export function openTerminal(options: { readonly colour: boolean }): Terminal {
  let status = '';
  const clear = (): void => {
    if (status === '') return;
    process.stderr.write('\r\u001B[2K');
    status = '';
  };
  const live = process.stderr.isTTY;
  return {
    live,
    clear,
    get columns() {
      return process.stderr.columns ?? process.stdout.columns ?? 80;
    },
    print(text) {
      clear();
      process.stdout.write(`${text}\n`);
    },
    note(text) {
      clear();
      process.stderr.write(`${text}\n`);
    },
    status(text) {
      if (!live) {
        process.stderr.write(`${text}\n`);
        return;
      }
      clear();
      status = text;
      process.stderr.write(text);
    },
    style(style, text, stream = 'stderr') {
      return options.colour ? styleText(style, text, { stream: process[stream], validateStream: true }) : text;
    },
  };
}

/** Text of unknown origin without anything that could steer a terminal: control characters and bidi overrides. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, '');
}

/** A number as people read it, such as 12,345.679: the library for languages takes longer to wake than a command to run. */
export function grouped(value: number): string {
  const [whole = '', fraction] = String(Math.round(Math.abs(value) * 1000) / 1000).split('.');
  if (!/^\d+$/.test(whole)) return value.toLocaleString('en');
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return `${value < 0 ? '-' : ''}${groups.join(',')}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** Rows as aligned columns; numbers to the right. */
export function table(rows: readonly (readonly (string | number)[])[], header?: readonly string[]): string {
  const cells = [...(header ? [header] : []), ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? grouped(cell) : cell)),
  );
  const widths = cells.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), []);
  const numeric = widths.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  return cells
    .map((row) =>
      row
        .map((cell, at) => (numeric[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
