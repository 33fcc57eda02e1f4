import { barTable, counted, html, number, words } from '../../report/page/index.ts';
import type { AccountAnswer } from './answers.ts';
import { address, ask } from './ask.ts';
import type { View } from './view.ts';
import { place } from './view.ts';

/** What was asked for, what came of it at every step (as PRISMA draws it), and why the rest is missing. */
export const accountView: View = async (into, { run }, signal) => {
  if (!run) {
    into.replaceChildren(html('p', { class: 'hint' }, 'No run is watched.'));
    return;
  }
  const base = `/runs/${encodeURIComponent(run.id)}`;
  const account = await ask<AccountAnswer>(`${base}/account`, {}, signal);
  const asked = Object.entries(account.asked ?? {}).filter(
    ([name, value]) => value !== null && value !== undefined && name !== 'mailto',
  );
  into.replaceChildren(
    ...(asked.length === 0
      ? []
      : [
          html(
            'p',
            { class: 'lede' },
            `Asked for ${asked.map(([name, value]) => `${words(name)}: ${Array.isArray(value) ? value.slice(0, 5).join(', ') : String(value)}`).join('; ')}.`,
          ),
        ]),
    html('section', {}, html('h2', {}, 'From records to texts'), flow(account.prisma)),
    html(
      'div',
      { class: 'columns' },
      html(
        'section',
        {},
        html('h2', {}, 'Why works are missing'),
        account.reasons.length === 0
          ? html('p', { class: 'hint' }, 'None is missing.')
          : html(
              'ul',
              { class: 'reasons' },
              ...account.reasons.map(({ value, works, sentence }) =>
                html(
                  'li',
                  {},
                  html(
                    'a',
                    { href: place('/works', { run: run.id, reason: value }) },
                    `${words(value)} (${number(works)})`,
                  ),
                  html('small', {}, sentence ?? ''),
                ),
              ),
            ),
      ),
      html(
        'section',
        {},
        html('h2', {}, 'Licences'),
        barTable(
          'Texts by licence',
          account.licences.map(({ value, works }) => ({ name: value || 'unknown', value: works })),
          'tone-good',
        ),
      ),
    ),
    html(
      'p',
      { class: 'downloads' },
      'Take it along: ',
      html('a', { href: address(`${base}/works.csv`), download: 'works.csv' }, 'all works as CSV'),
    ),
  );
};

/** The flow diagram of PRISMA 2020 as a list: each step, and beside it what left. */
function flow(prisma: AccountAnswer['prisma']): HTMLElement {
  const removed = prisma.removed_before_screening;
  const steps: readonly (readonly [string, number, readonly string[]])[] = [
    [
      'Records identified',
      prisma.identified,
      removed === undefined
        ? []
        : [
            counted(removed.duplicates, 'other version'),
            counted(removed.unreadable_entries, 'unreadable entry', 'unreadable entries'),
          ],
    ],
    ['Records screened', prisma.screened, [`${number(prisma.excluded)} excluded`]],
    ['Texts sought', prisma.sought, [`${number(prisma.not_retrieved)} not to be had, or not yet`]],
    ['Texts included', prisma.included, []],
  ];
  return html(
    'ol',
    { class: 'flow-steps' },
    ...steps.map(([name, count, left]) =>
      html(
        'li',
        {},
        html('div', { class: 'step' }, html('strong', {}, number(count)), ` ${name}`),
        left.length > 0 && html('div', { class: 'left' }, ...left.map((each) => html('div', {}, each))),
      ),
    ),
  );
}
