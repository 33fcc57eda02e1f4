import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/** Source files of the program, without tests, with `/` as separator. */
export function sourceFiles(pattern = 'src/**/*.ts'): { readonly file: string; readonly text: string }[] {
  return globSync(pattern, { cwd: ROOT })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('src/testing/'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

/** Splits the text from the opening bracket at `from` to its partner at top-level commas. */
function splitBracket(text: string, from: number): { readonly parts: string[]; readonly end: number } {
  const parts: string[] = [];
  let [depth, start] = [0, from + 1];
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === "'" || character === '"' || character === '`') at = endOfText(text, at);
    else if (text.startsWith('//', at)) at = text.indexOf('\n', at);
    else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1;
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) {
      depth -= 1;
      if (depth === 0) {
        parts.push(text.slice(start, at).trim());
        return { parts: parts.filter((part) => part !== ''), end: at };
      }
    } else if (depth === 1 && (character === ',' || character === ';')) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  throw new Error(`unterminated bracket before ${text.slice(from, from + 80)}`);
}

/** The end of a quoted text; expressions inside templates may contain quoted text. */
function endOfText(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
    else if (quote === '`' && text.startsWith('${', at)) at = splitBracket(text, at + 1).end;
  }
  throw new Error(`unterminated string before ${text.slice(from, from + 80)}`);
}

/** Renders an expression for readers: literal text as is, `${name}` as `<name>`, anything else as `…`. */
function shapeOf(expression: string): string {
  const quote = expression[0];
  const whole = (quote === "'" || quote === '"' || quote === '`') && endOfText(expression, 0) === expression.length - 1;
  if (!whole) {
    const texts = [...expression.matchAll(/'((?:[^'\\]|\\.)*)'/g)]
      .map((match) => match[1] ?? '')
      .filter((each) => /\w \w/.test(each));
    return texts.length > 0 ? texts.join(' / ') : '…';
  }
  const body = expression.slice(1, -1);
  let shape = '';
  for (let at = 0; at < body.length; at += 1) {
    if (quote === '`' && body.startsWith('${', at)) {
      const { end } = splitBracket(body, at + 1);
      const inner = body.slice(at + 2, end);
      shape += /^[\w.#]+(\.slice\(.*\))?$/.test(inner)
        ? `<${inner
            .replace(/\.slice.*/, '')
            .split(/[.#]/)
            .at(-1)}>`
        : '…';
      at = end;
    } else if (body[at] === '\\') {
      at += 1;
      shape += body[at] === 'n' ? ' ' : (body[at] ?? '');
    } else shape += body[at];
  }
  return shape;
}

/** Escapes a Markdown table cell. */
export function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\s*\n\s*/g, ' ');
}

export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

interface CodedError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly file: string;
}

/**
 * Codes stored with jobs that are not thrown as AppError: their meaning, and the source text that proves they exist.
 */
const KEPT: readonly (readonly [code: string, meaning: string])[] = [
  ['PROCESS_DIED', 'the process crashed or hung repeatedly while the job ran alone in it'],
  ['CANCELLED', 'an operator cancelled the job'],
  ['HANDLER_FAILED', 'the handler threw an error without a `code`'],
  ['HANDLER_ERROR', "the handler returned `{ state: 'error' }` with a reason without a code"],
  ['SKIPPED', "the handler returned `{ state: 'skipped' }` with a reason without a code"],
  ['RETRY_LATER', 'the handler returned `{ retryAt }` with a reason without a code'],
  ['STATE_UNKNOWN', 'a migrated database contained a job in an unknown state'],
];

/** Finds every AppError (or subclass) created with a literal code. */
function codedErrors(): CodedError[] {
  return sourceFiles().flatMap(({ file, text }) =>
    [...text.matchAll(/\bnew AppError\(|\bsuper\((?=\s*'[A-Z][A-Z0-9_]+')/g)].flatMap((match) => {
      const { parts } = splitBracket(text, match.index + match[0].length - 1);
      const [code = '', message = '', options = ''] = parts;
      const codes = [...code.matchAll(/'([A-Z][A-Z0-9_]+)'/g)].map((each) => each[1] ?? '');
      const hint = options.startsWith('{')
        ? splitBracket(options, 0)
            .parts.find((part) => part.startsWith('hint'))
            ?.replace(/^hint:?\s*/, '')
        : undefined;
      return codes.map((each) => ({ code: each, message: shapeOf(message), hint: hint ? shapeOf(hint) : '', file }));
    }),
  );
}

/** docs/reference/errors.md, from the sources. */
export function errorsPage(): string {
  const errors = codedErrors().sort((a, b) => (a.code === b.code ? 0 : a.code < b.code ? -1 : 1));
  const rows = new Map(
    errors.map(({ code, message, hint, file }) => {
      const row = [`\`${code}\``, cell(message), cell(hint), `\`${file}\``];
      return [row.join(' '), row] as const;
    }),
  );
  const sources = sourceFiles('{src/**/*.ts,sql/**/*.sql}');
  for (const [code] of KEPT) {
    if (!sources.some(({ text }) => text.includes(code))) throw new Error(`no source file uses ${code}`);
  }
  return [
    '# Error codes',
    [
      'Codes are stable; the message says what happened, the hint what to do. `<name>` stands for a value, `…` for a computed one.',
      'Codes that begin with `CONFIG_` or `USAGE_` end a command with exit code 2, all others with 1. With `--json` an error is one line of',
      'JSON on stderr: `{"error":{"code","message","hint"}}`.',
    ].join('\n'),
    markdownTable(['code', 'message', 'hint', 'source'], [...rows.values()]),
    '## Codes stored with a job',
    [
      'A job stores its last error as `CODE: message`, at most 500 characters. The code is the `code` of the error that its handler threw,',
      'the code at the start of the handler’s reason (`HTTP_404: …`), or one of these:',
    ].join('\n'),
    markdownTable(
      ['code', 'when'],
      KEPT.map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  ].join('\n\n');
}

/** The members of a union of events: comment, kind, fields. */
function members(union: string): string[][] {
  return [...union.matchAll(/(?:\/\*\* (?<comment>[^*]*(?:\*(?!\/)[^*]*)*)\*\/\s*)?\| \{/g)].map((match) => {
    const { parts } = splitBracket(union, match.index + match[0].length - 1);
    const fields = parts.map((part) => /^(?:readonly )?(\w+)(\??):\s*(.*)$/s.exec(part));
    const kind = fields.find((field) => field?.[1] === 'kind')?.[3] ?? '';
    const others = fields
      .filter((field) => field && field[1] !== 'kind')
      .map((field) => `\`${field?.[1]}${field?.[2]}: ${field?.[3]}\``);
    const comment = match.groups?.['comment']?.replaceAll(/\s*\n\s*\* ?/g, ' ').trim() ?? '';
    if (comment === '') throw new Error(`the event ${kind} has no comment that says when it happens`);
    return [`\`${kind.replaceAll("'", '')}\``, cell(comment), cell(others.join(', '))];
  });
}

/** docs/reference/events.md: every union of events declared in a file called events.ts. */
export function eventsPage(): string {
  const unions = sourceFiles('src/**/events.ts').flatMap(({ file, text }) =>
    [...text.matchAll(/(?:\/\*\* ([^*]*)\*\/\n)?export type (\w+Event) =\n([\s\S]*?);\n(?=\n|$)/g)].map(
      ([, comment = '', name = '', union = '']) =>
        `## ${name}\n\n${comment.trim()} Declared in \`${file}\`.\n\n${markdownTable(['kind', 'when', 'with'], members(union))}`,
    ),
  );
  return [
    '# Events',
    'Events are passed to the `report` function as they happen; metrics, spans and logs are derived from them.',
    ...unions,
  ].join('\n\n');
}

const KINDS: Readonly<Record<string, string>> = {
  counter: 'counter',
  histogram: 'histogram',
  Counter: 'counter',
  UpDownCounter: 'up-down counter',
  ObservableUpDownCounter: 'up-down counter, read when collected',
  Histogram: 'histogram',
  ObservableGauge: 'gauge, read when collected',
};

/** The names of the labels with which an instrument is written to; one that is only observed has a callback. */
function labelsOf(text: string, instrument: string, declaredAt: number): string[] {
  const callback = text.indexOf('.addCallback(', declaredAt) + '.addCallback'.length;
  const [from, to] = instrument ? [0, text.length] : [callback, splitBracket(text, callback).end];
  const write = instrument ? new RegExp(`\\b${instrument}\\.(?:add|record)\\(`, 'g') : /\bresult\.observe\(/g;
  const labels = [...text.matchAll(write)]
    .filter(({ index }) => index >= from && index < to)
    .flatMap((match) => {
      const [, given = ''] = splitBracket(text, match.index + match[0].length - 1).parts;
      return given.startsWith('{') ? splitBracket(given, 0).parts.map((part) => part.split(':')[0]?.trim() ?? '') : [];
    });
  return [...new Set(labels)];
}

function metricsOf(text: string): string[][] {
  return [...text.matchAll(/(?:const (\w+) = )?(?:meter\s*\.create(\w+)|\b(counter|histogram))\((?=\s*')/g)].map(
    (match) => {
      const [name = '', options = '{}'] = splitBracket(text, match.index + match[0].length - 1).parts;
      // `counter` and `histogram` take the description itself, the methods of the meter an object with it.
      const described = options.startsWith('{')
        ? splitBracket(options, 0)
            .parts.find((part) => part.startsWith('description:'))
            ?.slice('description:'.length)
        : options;
      const labels = labelsOf(text, match[1] ?? '', match.index).map((label) => `\`${label}\``);
      return [
        `\`${shapeOf(name)}\``,
        KINDS[match[2] ?? match[3] ?? ''] ?? '',
        labels.join(', '),
        cell(shapeOf(described?.trim() ?? '')),
      ];
    },
  );
}

/** docs/reference/metrics.md, from the code that makes the instruments. */
export function metricsPage(): string {
  const sources = sourceFiles('src/telemetry/otel*.ts');
  const texts = sources.map(({ text }) => text).join('\n');
  const named = (pattern: RegExp): string => [...texts.matchAll(pattern)].map((match) => `\`${match[1]}\``).join(', ');
  return [
    '# Metrics and spans',
    [
      'Nothing is exported, and the OpenTelemetry SDK is not loaded, unless `telemetry.otlp_endpoint` or `telemetry.prometheus_port` is',
      'set; the SDK is an optional peer dependency. Metrics may have hosts and resolvers as labels, but never URLs.',
    ].join('\n'),
    markdownTable(
      ['metric', 'kind', 'labels', 'meaning'],
      sources.flatMap(({ text }) => metricsOf(text)),
    ),
    '## Spans',
    [
      `Spans are ${named(/\.start(?:Active)?Span\(\s*'([^']+)'/g)}. \`orchestrator.dispatch\` has the number of leased jobs (\`leased.count\`); \`job\` has`,
      `\`job.id\`, \`artifact.id\`, \`worker.id\`, \`attempt\` and \`job.state\`, and the events ${named(/\.addEvent\('([^']+)'/g)} when it had to wait.`,
    ].join('\n'),
  ].join('\n\n');
}
