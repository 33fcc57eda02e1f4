import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

import type { Node, TSTypeLiteral } from 'oxc-parser';
import { parseSync } from 'oxc-parser';

export const ROOT = join(import.meta.dirname, '..', '..');

/** Source files of the program, without tests, with `/` as separator. */
export function sourceFiles(pattern = 'src/**/*.ts'): { readonly file: string; readonly text: string }[] {
  return globSync(pattern, { cwd: ROOT })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('src/testing/'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

/** A syntax node and those inside it, in the order of the source. */
function* nodesIn(value: unknown): Generator<Node> {
  if (value === null || typeof value !== 'object') return;
  if ('type' in value) yield value as Node;
  for (const child of Object.values(value)) yield* nodesIn(child);
}

function textsIn(node: Node | undefined): string[] {
  return [...nodesIn(node)].flatMap((each) =>
    each.type === 'Literal' && typeof each.value === 'string' ? [each.value] : [],
  );
}

/** Renders an expression for readers: literal text as is, `${name}` as `<name>`, anything else as `…`. */
function shapeOf(node: Node | undefined, source: string): string {
  if (node?.type === 'Literal') return String(node.value);
  if (node?.type === 'TemplateLiteral') {
    const values = node.expressions.map(({ start, end }) => {
      const name = /^[\w.#]*?(\w+)(?:\.slice\(.*\))?$/.exec(source.slice(start, end))?.[1];
      return name === undefined ? '…' : `<${name}>`;
    });
    return node.quasis.map(({ value }, at) => `${value.cooked ?? ''}${values[at] ?? ''}`).join('');
  }
  const sentences = textsIn(node).filter((text) => /\w \w/.test(text));
  return node && sentences.length === 0 ? '…' : sentences.join(' / ');
}

function valueOf(node: Node | undefined, name: string): Node | undefined {
  if (node?.type !== 'ObjectExpression') return undefined;
  for (const each of node.properties)
    if (each.type === 'Property' && !each.shorthand && each.key.type === 'Identifier' && each.key.name === name)
      return each.value;
  return undefined;
}

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
    [...nodesIn(parseSync(file, text).program)].flatMap((node) => {
      if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return [];
      const { callee } = node;
      if (callee.type !== 'Super' && !(callee.type === 'Identifier' && callee.name === 'AppError')) return [];
      const [code, message, options] = node.arguments;
      const shape = { message: shapeOf(message, text), hint: shapeOf(valueOf(options, 'hint'), text), file };
      return textsIn(code).flatMap((each) => (/^[A-Z][A-Z0-9_]+$/.test(each) ? [{ code: each, ...shape }] : []));
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

/** docs/reference/events.md: every union of events declared in a file called events.ts. */
export function eventsPage(): string {
  const unions = sourceFiles('src/**/events.ts').flatMap(({ file, text }) => {
    const { program, comments } = parseSync(file, text);
    const saidBefore = ({ start }: Node): string => {
      const comment = comments.findLast(({ end }) => end <= start && /^[\s|]*$/.test(text.slice(end, start)));
      return (
        comment?.value
          .replace(/^\*/, '')
          .replaceAll(/\s*\n\s*\* ?/g, ' ')
          .trim() ?? ''
      );
    };
    const rowOf = (event: TSTypeLiteral): string[] => {
      const fields = event.members.flatMap((member) => {
        if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier') return [];
        const { start = 0, end = 0 } = member.typeAnnotation?.typeAnnotation ?? {};
        return [[member.key.name, member.optional ? '?' : '', text.slice(start, end)] as const];
      });
      const kind = fields.find(([name]) => name === 'kind')?.[2].replaceAll("'", '') ?? '';
      const others = fields.filter(([name]) => name !== 'kind');
      const when = saidBefore(event);
      if (when === '') throw new Error(`the event ${kind} has no comment that says when it happens`);
      const shown = others.map(([name, optional, type]) => `\`${name}${optional}: ${type}\``);
      return [`\`${kind}\``, cell(when), cell(shown.join(', '))];
    };
    return program.body.flatMap((node) => {
      const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : null;
      if (declared?.type !== 'TSTypeAliasDeclaration' || declared.typeAnnotation.type !== 'TSUnionType') return [];
      const rows = declared.typeAnnotation.types.filter((each) => each.type === 'TSTypeLiteral').map(rowOf);
      const table = markdownTable(['kind', 'when', 'with'], rows);
      return [`## ${declared.id.name}\n\n${saidBefore(node)} Declared in \`${file}\`.\n\n${table}`];
    });
  });
  return [
    '# Events',
    'Events are passed to the `report` function as they happen; metrics, spans and logs are derived from them.',
    ...unions,
  ].join('\n\n');
}

/** Functions that make an instrument. */
const KINDS: Readonly<Record<string, string>> = {
  counter: 'counter',
  histogram: 'histogram',
  createCounter: 'counter',
  createUpDownCounter: 'up-down counter',
  createObservableUpDownCounter: 'up-down counter, read when collected',
  createHistogram: 'histogram',
  createObservableGauge: 'gauge, read when collected',
};

function metricsOf(file: string, text: string): string[][] {
  const calls = [...nodesIn(parseSync(file, text).program)]
    .filter((node) => node.type === 'CallExpression')
    .map(({ start, end, callee, arguments: given }) => ({
      start,
      end,
      given,
      called: text.slice(callee.start, callee.end),
    }));
  return calls.flatMap(({ start, called, given: [name, options] }) => {
    const kind = KINDS[/\w+$/.exec(called)?.[0] ?? ''];
    if (kind === undefined || name?.type !== 'Literal') return [];
    const instrument = /const (\w+) = $/.exec(text.slice(0, start))?.[1];
    // An instrument that is only observed has no name, but a callback.
    const callback = calls.find((call) => call.start === start && call.called.endsWith('.addCallback'));
    const writes = calls.filter((call) =>
      instrument === undefined
        ? call.called === 'result.observe' && call.start > start && call.end <= (callback?.end ?? 0)
        : call.called === `${instrument}.add` || call.called === `${instrument}.record`,
    );
    const labels = writes.flatMap((call) =>
      [...nodesIn(call.given[1])].flatMap((node) =>
        node.type === 'Property' && node.key.type === 'Identifier' ? [`\`${node.key.name}\``] : [],
      ),
    );
    // `counter` and `histogram` take the description itself, the methods of the meter an object with it.
    const description = valueOf(options, 'description') ?? options;
    const row = [`\`${shapeOf(name, text)}\``, kind, [...new Set(labels)].join(', '), cell(shapeOf(description, text))];
    return [row];
  });
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
      sources.flatMap(({ file, text }) => metricsOf(file, text)),
    ),
    '## Spans',
    [
      `Spans are ${named(/\.start(?:Active)?Span\(\s*'([^']+)'/g)}. \`orchestrator.dispatch\` has the number of leased jobs (\`leased.count\`); \`job\` has`,
      `\`job.id\`, \`artifact.id\`, \`worker.id\`, \`attempt\` and \`job.state\`, and the events ${named(/\.addEvent\('([^']+)'/g)} when it had to wait.`,
    ].join('\n'),
  ].join('\n\n');
}
