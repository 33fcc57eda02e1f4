import { cell, markdownTable, shapeOf, sourceFiles, splitBracket } from './source-text.ts';

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
