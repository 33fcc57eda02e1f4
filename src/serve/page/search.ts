import { counted, duration, excerpt, field, html, marked, number } from '../../report/page/index.ts';
import type { Hits } from './answers.ts';
import { ask } from './ask.ts';
import { copyButtons } from './copy.ts';
import { boxesText } from './document-view.ts';
import type { Scene, View } from './view.ts';
import { fault, place } from './view.ts';

const WAYS = { hybrid: 'words and meaning', dense: 'meaning', lexical: 'words' } as const;
const TEXTS = [
  ['year', 'Year', '2018-2022'],
  ['author', 'Author', 'part of a name'],
  ['venue', 'Journal', 'part of its name'],
  ['type', 'Type', 'article, preprint …'],
  ['license', 'Licence', 'cc-by, cc0 …'],
] as const;
const CHOICES = [
  ['section', 'Part of the paper', ['', 'abstract', 'introduction', 'methods', 'results', 'discussion', 'conclusion']],
  ['has', 'Holds', ['', 'table', 'figure']],
  ['mode', 'By', ['', 'hybrid', 'dense', 'lexical']],
  ['top', 'Passages', ['10', '25', '50']],
] as const;

/** Passages that answer a question, each on its page and with its citation. */
export const searchView: View = async (into, scene, signal) => {
  const { run, query } = scene;
  if (!run) {
    into.replaceChildren(html('p', { class: 'hint' }, 'No run is watched.'));
    return;
  }
  const question = html('input', {
    type: 'search',
    id: 'search',
    autocomplete: 'off',
    placeholder: `Ask ${run.title} …`,
    value: query.get('q') ?? '',
  });
  const texts = TEXTS.map(([name, label, hint]) =>
    field(
      label,
      html('input', { type: 'search', id: `search-${name}`, name, placeholder: hint, value: query.get(name) ?? '' }),
    ),
  );
  const choices = CHOICES.map(([name, label, values]) => {
    const select = html(
      'select',
      { id: `search-${name}`, name },
      ...values.map((value) =>
        html('option', { value }, value === '' ? 'all' : name === 'mode' ? WAYS[value as keyof typeof WAYS] : value),
      ),
    );
    select.value = query.get(name) ?? values[0];
    return field(label, select);
  });
  const retracted = html('input', {
    type: 'checkbox',
    id: 'search-retracted',
    checked: query.get('exclude_retracted') === 'true',
  });
  const status = html('p', { class: 'hint', role: 'status' });
  const results = html('ol', { class: 'hits' });
  const wanted = (): Record<string, string> => {
    const values: Record<string, string> = { q: question.value.trim() };
    for (const control of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name]'))
      if (control.value.trim() !== '') values[control.name] = control.value.trim();
    if (retracted.checked) values['exclude_retracted'] = 'true';
    return values;
  };
  const filtered =
    TEXTS.some(([name]) => query.has(name)) || CHOICES.some(([name]) => query.has(name) && name !== 'top');
  const form = html(
    'form',
    {
      role: 'search',
      submit: (event: Event) => {
        event.preventDefault();
        history.replaceState(null, '', place('/search', { run: run.id, ...wanted() }));
        void search();
      },
    },
    html(
      'div',
      { class: 'ask' },
      html(
        'div',
        { class: 'search' },
        html('label', { for: 'search', class: 'hidden' }, 'Question'),
        question,
        html('kbd', { title: 'press / to come here' }, '/'),
      ),
      html('button', { type: 'submit', class: 'quiet' }, 'Search'),
    ),
    html(
      'details',
      { class: 'narrow', open: filtered },
      html('summary', {}, 'Filters'),
      html('div', { class: 'filters' }, ...texts, ...choices),
      html('label', { class: 'check' }, retracted, ' No retracted works'),
    ),
  );
  let asked = 0;
  const search = async (): Promise<void> => {
    asked += 1;
    const mine = asked;
    const values = wanted();
    if (values['q'] === '') return;
    status.textContent = 'Searching …';
    try {
      const found = await ask<Hits>(`/runs/${encodeURIComponent(run.id)}/search`, values, signal);
      if (mine !== asked) return;
      status.textContent =
        found.hits.length === 0
          ? `Nothing fits among ${counted(found.passages, 'passage')}.`
          : `${counted(found.hits.length, 'passage')} of ${number(found.passages)}, by ${WAYS[found.mode]}, in ${duration(found.took_ms)}`;
      results.replaceChildren(...found.hits.map((hit) => hitItem(hit, values['q'] ?? '', run.id, scene)));
    } catch (error) {
      if (mine !== asked || signal.aborted) return;
      status.textContent = '';
      results.replaceChildren(html('li', {}, fault(error)));
    }
  };
  into.replaceChildren(form, status, results);
  if (question.value !== '') await search();
  else question.focus({ preventScroll: true });
};

function hitItem(hit: Hits['hits'][number], question: string, run: string, { tell }: Scene): HTMLElement {
  const { work, page, boxes, document, headings } = hit;
  const at = boxesText(boxes);
  const authors = work?.authors.map(({ name }) => name) ?? [];
  const by = authors.length > 2 ? `${authors[0] ?? ''} et al.` : authors.join(' and ');
  const about = [by, work?.year, work?.venue, work?.license].filter(
    (each) => each !== undefined && each !== null && each !== '',
  );
  const where = [...headings.slice(-2), ...(page === null ? [] : [`page ${page}`])];
  return html(
    'li',
    {},
    html(
      'h2',
      {},
      html('a', { href: place('/documents', { run, document, page, at }) }, work?.title ?? hit.title ?? document),
    ),
    html(
      'p',
      { class: 'hint' },
      about.join(' · '),
      work?.retraction ? html('strong', { class: 'retracted' }, ' retracted') : '',
    ),
    html('p', {}, ...marked(excerpt(hit.text, question), question)),
    html(
      'div',
      { class: 'tools' },
      html('p', { class: 'hint' }, where.join(' · ')),
      html('span', { class: 'acts' }, ...(work ? copyButtons(work, tell) : [])),
    ),
  );
}
