import { cell, markdownTable, shapeOf, sourceFiles, splitBracket } from './source-text.ts';

interface CodedError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly file: string;
}

/** Codes that are kept with a job but thrown by nobody here: what gives them, and the text in the sources that proves it. */
const KEPT: readonly (readonly [code: string, meaning: string])[] = [
  ['PROCESS_DIED', 'the process died or hung again and again while the job ran alone in it'],
  ['CANCELLED', 'an operator cancelled the job'],
  ['HANDLER_FAILED', 'the handler threw something without a `code` of its own'],
  ['HANDLER_ERROR', "the handler answered `{ state: 'error' }` with a reason that begins with no code"],
  ['SKIPPED', "the handler answered `{ state: 'skipped' }` with a reason that begins with no code"],
  ['RETRY_LATER', 'the handler answered `{ retryAt }` with a reason that begins with no code'],
  ['STATE_UNKNOWN', 'an adopted database held a job in a state that the queue does not know'],
];

/** Every place that makes an AppError, or a class derived from it, with a code written out. */
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
    if (!sources.some(({ text }) => text.includes(code))) throw new Error(`no source names ${code} any more`);
  }
  return [
    '# Error codes',
    [
      'A code is stable; the message says what and which, the hint what to do. `<name>` stands for a value, `…` for one that is worked out.',
      'Codes that begin with `CONFIG_` or `USAGE_` end a command with exit code 2, all others with 1. With `--json` an error is one line of',
      'JSON on stderr: `{"error":{"code","message","hint"}}`.',
    ].join('\n'),
    markdownTable(['code', 'message', 'hint', 'made in'], [...rows.values()]),
    '## Codes kept with a job',
    [
      'A job keeps its last error as `CODE: message`, at most 500 characters. The code is the one of the error that its handler threw (its `code`),',
      'the one with which the handler’s reason begins (`HTTP_404: …`), or one of these:',
    ].join('\n'),
    markdownTable(
      ['code', 'when'],
      KEPT.map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  ].join('\n\n');
}
