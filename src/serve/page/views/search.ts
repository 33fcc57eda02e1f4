import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { analyse } from '../../../parse/terms/index.ts';
import type { Hits } from '../answers.ts';
import { counted, number } from '../format.ts';
import { excerpt, isTable } from '../excerpt.ts';
import { marked } from '../marked.ts';
import { CopyButtons, CopyLink, QueryChoice, QueryField } from '../parts.ts';
import type { View } from '../scene.ts';
import { button, fault, html, useLoaded, useScene } from '../scene.ts';
import { address } from '../source.ts';
import { byPaper } from './by-paper.ts';
import { ExampleList } from './examples-list.ts';
import { WorksField } from './works-field.ts';
import { FoundNames, FoundWorks, useFound } from './found-works.ts';

const WAYS: Readonly<Record<string, string>> = { hybrid: 'words and meaning', dense: 'meaning', lexical: 'words' };
const TEXTS = [
  ['year', 'Year', '2018-2022'],
  ['author', 'Author', 'a name'],
  ['venue', 'Journal', 'its name'],
  ['type', 'Type', 'article …'],
  ['license', 'Licence', 'cc-by, cc0 …'],
] as const;
const CHOICES = [
  ['section', 'Part of the paper', ['', 'abstract', 'introduction', 'methods', 'results', 'discussion', 'conclusion']],
  ['has', 'Contains', ['', 'table', 'figure']],
  ['mode', 'Search by', ['', 'hybrid', 'dense', 'lexical']],
  ['top', 'Passages', ['100', '30', '10']],
] as const;
/** All that may be asked for: one paper can have dozens of passages before the next paper's first. */
const DEFAULT_TOP = CHOICES[3][2][0];
/** Filters that works have too, by the same name. */
const OF_WORKS = ['year', 'author', 'venue', 'type'];
const PAPERS_SHOWN = 20;
/** What the arrow keys go through. */
const LINKS = '.hits h2 a';
const NAMES = [...TEXTS, ...CHOICES].map(([name]) => name as string);

export function SearchView(): View {
  const { source, query, set, place, runPath } = useScene();
  const results = useRef<HTMLDivElement>(null);
  const [most, setMost] = useState(PAPERS_SHOWN);
  const q = query.get('q') ?? '';
  const asked = {
    question: q,
    ...Object.fromEntries([...NAMES, 'works', 'exclude_retracted'].map((name) => [name, query.get(name)])),
    top: query.get('top') ?? DEFAULT_TOP,
  };
  const [found] = useLoaded(address('', asked), async (signal) =>
    q === '' ? undefined : await source.get<Hits>(runPath('search'), asked, signal),
  );
  const hits = q !== '' && found.kind === 'answered' ? found.value : undefined;
  const papers = byPaper(hits?.passages ?? []);
  const input = (): HTMLElement | null => document.querySelector<HTMLElement>('#search');
  useEffect(() => setMost(PAPERS_SHOWN), [address('', asked)]);
  useLayoutEffect(() => {
    if (q === '') input()?.focus({ preventScroll: true });
  }, []);
  const links = (): HTMLElement[] =>
    [...(results.current?.querySelectorAll<HTMLElement>(LINKS) ?? [])].filter((each) => each.checkVisibility());
  useEffect(() => {
    const keys = (event: KeyboardEvent): void => {
      const [focused, box] = [document.activeElement as HTMLElement, input()];
      if (focused !== box && !results.current?.contains(focused)) return;
      if (event.key === 'Escape' && focused === box) set({ q: '' });
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      const at = links().indexOf(focused);
      (event.key === 'ArrowDown' ? (links()[at + 1] ?? links().at(-1)) : (links()[at - 1] ?? box))?.focus();
    };
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  });
  const filter = {
    ...Object.fromEntries(OF_WORKS.map((name) => [name, query.get(name)])),
    licence: query.get('license'),
  };
  const beside = useFound(q, filter, query.has('section') || query.has('has'));
  return [
    !source.report && html`<${Filters} />`,
    html`<div class="results" ref=${results}>
      ${
        q === '' &&
        html`<div class="begin">
          <p class="lede">
            Words find works by title, author, journal or DOI, sentences in the papers, and the names in them.
          </p>
          <${ExampleList} path="/search" />
        </div>`
      }
      ${beside.kind === 'answered' && [html`<${FoundWorks} found=${beside.value} q=${q} filter=${filter} />`, html`<${FoundNames} found=${beside.value} q=${q} />`]}
      ${beside.kind === 'failed' && fault(beside.error)}
      <section class="sentences" aria-label="Sentences" hidden=${q === '' || beside.kind === 'waiting'}>
        <h2>Sentences</h2>
        ${
          found.kind === 'failed'
            ? fault(found.error)
            : html`<div class="tools">
                <p class="hint" role="status">
                  ${hits ? status(hits, papers.length) : 'Searching …'}
                  ${
                    hits !== undefined &&
                    hits.works_screened_out > 0 &&
                    html` <a href=${place('/search', { q, works: 'excluded' })}>Search them.</a>`
                  }
                  ${hits !== undefined && papers.length > 0 && html`<span class="keys"> Arrow keys choose, Enter opens.</span>`}
                </p>
                ${hits && html`<${CopyLink} />`}
              </div>`
        }
        <ol class="hits">
          ${papers.slice(0, most).map((ofOne) => html`<${PaperHits} hits=${ofOne} question=${q} isAlone=${papers.length === 1} key=${ofOne[0]?.id} />`)}
        </ol>
        ${papers.length > most && button(`Show ${papers.length - most} more papers`, () => setMost(papers.length))}
      </section>
    </div>`,
  ];
}

function status(hits: Hits, papers: number): string {
  const { passages, passages_searched: all, searched_by: by, works_screened_out: out } = hits;
  const without = out === 0 ? '' : ` Without ${counted(out, 'work')} that screening excluded.`;
  return passages.length === 0
    ? `No results among ${counted(all, 'passage')}.${without}`
    : `${counted(passages.length, 'passage')} of ${number(all)} in ${counted(papers, 'paper')}, by ${by}.${without}`;
}

function Filters(): View {
  const { query, set } = useScene();
  const isFiltered = [...NAMES, 'works'].some((name) => query.has(name) && name !== 'top');
  return html`<details class="narrow" open=${isFiltered}>
    <summary>Filters</summary>
    <div class="filters">
      ${TEXTS.map(([name, label, hint]) => html`<${QueryField} name=${label} parameter=${name} hint=${hint} />`)}
      <${WorksField} hint="included, a set …" />
      ${CHOICES.map(([name, label, values]) => {
        const options = values.map((value) => [value, value === '' ? 'all' : (WAYS[value] ?? value)]);
        return html`<${QueryChoice} name=${label} parameter=${name} options=${options} />`;
      })}
    </div>
    <label>
      <input
        type="checkbox"
        checked=${query.get('exclude_retracted') === 'true'}
        onChange=${(event: Event) => set({ exclude_retracted: (event.target as HTMLInputElement).checked })}
      />
      ${' '}Exclude retracted works
    </label>
  </details>`;
}

/** The best passage of a paper, with its others folded beneath unless no other paper was found. */
export function PaperHits(props: {
  readonly hits: readonly Hits['passages'][number][];
  readonly question: string;
  readonly isAlone: boolean;
  readonly hasWhy?: boolean;
}): View {
  const { hits, question, isAlone, hasWhy = true } = props;
  const { query } = useScene();
  const [best, ...others] = hits;
  const isChosen = others.some(({ id }) => id === query.get('passage'));
  const [isOpened, setOpened] = useState(isAlone);
  const isOpen = isOpened || isChosen;
  return [
    html`<${HitItem} hit=${best} question=${question} hasWhy=${hasWhy} />`,
    others.length > 0 &&
      html`<li class="more">
        <details open=${isOpen} onToggle=${(event: Event) => setOpened((event.target as HTMLDetailsElement).open)}>
          <summary>${`${others.length} more of this paper`}</summary>
          <ul>
            ${isOpen && others.map((hit) => html`<${HitItem} hit=${hit} question=${question} isMore hasWhy=${hasWhy} key=${hit.id} />`)}
          </ul>
        </details>
      </li>`,
  ];
}

/** Why a passage is among the first: what found it, and which words of the question it has. */
function Why({ hit, question }: { readonly hit: Hits['passages'][number]; readonly question: string }): View {
  const { source } = useScene();
  const [isOpen, setOpen] = useState(false);
  const own = new Set(isOpen ? analyse([hit.title, ...hit.headings, hit.text].join(' ')) : []);
  const asked = [...new Set(question.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu))].filter(
    (word) => analyse(word).length > 0,
  );
  const isIn = (word: string): boolean => analyse(word).some((term) => own.has(term));
  const listed = (some: readonly string[]): string => some.map((word) => `“${word}”`).join(', ');
  const [has, lacks] = [asked.filter(isIn), asked.filter((word) => !isIn(word))];
  // A report's own score has no limit.
  const fit = source.report ? '' : `, fit ${hit.fit.toFixed(2)} of 1`;
  return html`<details class="why" onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary>Why here</summary>
    ${
      isOpen &&
      html`<p>
        ${`Place ${hit.rank}, found by ${hit.found_by}${fit}.`}
        ${has.length > 0 && ` Paper or passage have ${listed(has)}${lacks.length > 0 ? `, not ${listed(lacks)}` : ''}.`}
        ${has.length === 0 && hit.found_by !== 'words' && ' It has none of the words, but is near in meaning.'}
      </p>`
    }
  </details>`;
}

/** A passage that was found; one more of the same paper does not name the paper again. */
function HitItem(props: {
  readonly hit: Hits['passages'][number];
  readonly question: string;
  readonly isMore?: boolean;
  /** Whether it says why it was found. */
  readonly hasWhy?: boolean;
}): View {
  const { hit, question, isMore = false, hasWhy = false } = props;
  const { reading, query } = useScene();
  const { title, page, document, headings, id } = hit;
  const where = [
    ...(isTable(hit.text) ? ['a table'] : headings.slice(-2)),
    ...(page === null || page === 0 ? [] : [`page ${page}`]),
  ];
  const to = reading({ document, passage: id, words: question });
  const isOpen = query.get('passage') === id;
  const why = hasWhy && html`<${Why} hit=${hit} question=${question} />`;
  if (isMore)
    return html`<li class=${isOpen ? 'open' : ''}>
      <h2><a href=${to}>${where.join(' · ') || 'Another passage'}</a></h2>
      <p class=${isTable(hit.text) ? 'excerpt' : ''}>${marked(excerpt(hit.text, question), question)}</p>
      ${why}
    </li>`;
  return html`<li class=${isOpen ? 'open' : ''}>
    <div class="tools">
      <h2><a href=${to}>${title || document}</a></h2>
      <span class="acts"><${CopyButtons} apa=${hit.citation} bibtex=${hit.bibtex} /></span>
    </div>
    <p class="hint">
      ${[hit.by, hit.year, hit.venue, hit.license, ...where].filter((each) => each).join(' · ')}
      ${hit.retracted && html`<strong class="retracted"> retracted</strong>`}
    </p>
    <p class=${isTable(hit.text) ? 'excerpt' : ''}>${marked(excerpt(hit.text, question), question)}</p>
    ${why}
  </li>`;
}
