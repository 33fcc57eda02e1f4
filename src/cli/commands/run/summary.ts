import type { CorpusStageName, RunAccount } from '../../../run/index.ts';
import { count, duration } from '../../progress.ts';
import type { Session } from '../../session.ts';
import { plain, table } from '../../terminal.ts';

const WORDS: readonly (readonly [CorpusStageName, string])[] = [
  ['doctags', 'parsed'],
  ['chunk', 'chunked'],
  ['dense', 'vectors made'],
  ['embed', 'embedded'],
];
/** Failed documents that are named; the rest is counted. */
const NAMED = 10;

/** What came of a run, and what to do next. */
export function printRun(account: RunAccount, folder: string, session: Session): void {
  if (session.json) {
    session.terminal.print(JSON.stringify({ out: folder, ...account }));
    return;
  }
  printAccount(account, session);
  printNextSteps(account, folder, session);
}

/** The account by resolver and reason, what the stages did, and which documents failed. */
export function printAccount(account: RunAccount, session: Session): void {
  const { terminal } = session;
  const print = (title: string, lines: string): void =>
    terminal.print(`${terminal.style('bold', title, 'stdout')}\n${indent(lines)}\n`);
  const { works, index, stopped } = account;
  if (works) {
    print('Works', worksTable(works));
    if (works.saved > 0) print('Saved through', countTable(works.by_resolver));
    if (works.not_to_be_had + works.later > 0) print('Not saved because', countTable(works.by_reason));
  }
  if (account.documents > 0) print('Documents', stagesTable(account));
  if (account.failures.length > 0) print('Failed', failuresText(account));
  const ending = index
    ? `${count(index.passages)} passages can be searched by ${index.searched_by}`
    : stopped === null
      ? 'there is nothing to search yet'
      : `stopped before the end (${plain(stopped)})`;
  terminal.print(`${ending}, after ${duration(account.seconds * 1000)}`);
}

/** What can be done now. */
export function printNextSteps(account: RunAccount, folder: string, session: Session): void {
  const { terminal } = session;
  for (const [word, what] of nextSteps(account, folder))
    terminal.print(`${terminal.style('cyan', word.padEnd(6), 'stdout')} ${what}`);
}

function worksTable(works: NonNullable<RunAccount['works']>): string {
  return table([
    ['known', works.works],
    ['saved', works.saved],
    ['not to be had', works.not_to_be_had],
    ...(works.later > 0 ? [['to be had later', works.later] as const] : []),
  ]);
}

function countTable(counts: Readonly<Record<string, number>>): string {
  return table(Object.entries(counts).sort((a, b) => b[1] - a[1]));
}

function stagesTable({ stages }: RunAccount): string {
  const rows = WORDS.flatMap(([name, word]) => {
    const stage = stages[name];
    if (!stage) return [];
    const { done, kept, failed, left, p50_ms: p50, p95_ms: p95 } = stage;
    return [[word, done, kept, failed, left, done > 0 ? duration(p50) : '', done > 0 ? duration(p95) : '']];
  });
  return table(rows, ['', 'now', 'before', 'failed', 'left', 'half within', '95 % within']);
}

function failuresText({ failures }: RunAccount): string {
  const rows = failures
    .slice(0, NAMED)
    .map(({ stage, document, code, message }) => [
      plain(document).slice(0, 40),
      WORDS.find(([name]) => name === stage)?.[1].replace(/ed$/, 'ing') ?? stage,
      `${code}: ${plain(message).replaceAll(/\s+/g, ' ').slice(0, 80)}`,
    ]);
  const more = failures.length - rows.length;
  return `${table(rows)}${more > 0 ? `\nand ${count(more)} more` : ''}`;
}

function nextSteps({ index, works, stopped, failures }: RunAccount, folder: string): (readonly [string, string])[] {
  const quoted = /\s/.test(folder) ? JSON.stringify(folder) : folder;
  return [
    [index !== null, 'ask', `docstokg search "…" --run ${quoted}`],
    [index !== null, 'look', `${quoted}/report.html`],
    [stopped !== null, 'go on', 'the same command goes on from here'],
    [(works?.later ?? 0) > 0, 'later', 'some hosts asked for a longer wait: the same command later gets the rest'],
    [failures.length > 0, 'why', `docstokg manifest --stage doctags --status failure --data-root ${quoted}/Data`],
  ].flatMap(([fits, word, what]) => (fits === true ? [[String(word), String(what)] as const] : []));
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
