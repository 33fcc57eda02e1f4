import type { List, Work } from '../answers.ts';
import { counted, number, outcomeName, words } from '../format.ts';
import type { View } from '../scene.ts';
import { html, useLoaded, useScene } from '../scene.ts';
import type { Query } from '../source.ts';
import { address } from '../source.ts';

const MOST_WORKS = 5;
const MOST_NAMES = 12;
/** Kinds that are found as works and sentences. */
const NOT_NAMES = new Set(['work', 'quantity']);

interface Named {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly count: number | null;
}

/** Works whose title, authors, journal or ids have these words: the first few, and a link to all. */
export function FoundWorks({ q, filter }: { readonly q: string; readonly filter: Query }): View {
  const { source, query, place, reading, runPath } = useScene();
  const asked = { ...filter, q };
  const [found] = useLoaded(address('', asked), (signal) =>
    source.get<List<Work>>(runPath('works'), { ...asked, limit: MOST_WORKS }, signal),
  );
  if (found.kind !== 'answered' || found.value.items.length === 0) return undefined;
  const { items, total = items.length } = found.value;
  return html`<section class="found" aria-label="Works">
    <h2>Works${total > MOST_WORKS && html` <a href=${place('/works', asked)}>all ${number(total)}</a>`}</h2>
    <ul>
      ${items.slice(0, MOST_WORKS).map((work) => {
        const isOpen = [query.get('work'), query.get('document')].includes(work.document ?? work.id);
        return html`<li class=${isOpen ? 'open' : ''} key=${work.id}>
          <a href=${reading({ document: work.document, work: work.id })} title=${work.title ?? work.id}
            >${work.title ?? work.id}</a
          >
          <small>
            ${work.retracted && html`<strong class="retracted">retracted </strong>`}
            ${[work.authors, work.year, work.outcome === 'saved' || work.outcome === 'local' ? null : outcomeName(work.outcome)].filter((each) => each).join(' · ')}
          </small>
        </li>`;
      })}
    </ul>
  </section>`;
}

/** What papers name with these words in it, the most often named first; without words, the terms of the library. */
export function FoundNames({ q }: { readonly q: string }): View {
  const { source, place, run, runPath } = useScene();
  const isAsked = run?.has_graph === true && !source.report;
  const asked = q === '' ? { ask: 'terms', limit: MOST_NAMES } : { ask: 'find', node: q, limit: MOST_NAMES };
  const [found] = useLoaded(`${isAsked} ${q}`, async (signal) => {
    if (!isAsked) return [];
    const { rows } = await source.get<{ readonly rows: readonly Named[] }>(runPath('graph'), asked, signal);
    const names = rows.filter(({ kind }) => !NOT_NAMES.has(kind));
    return names.toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0)).slice(0, MOST_NAMES);
  });
  if (found.kind !== 'answered' || found.value.length === 0) return undefined;
  return html`<section class="found names" aria-label="Names">
    <h2>${q === '' ? 'Often named' : 'Names'}</h2>
    <ul>
      ${found.value.map(
        ({ id, kind, label, count }) =>
          html`<li key=${id}>
            <a
              class="quiet"
              href=${place('/graph', { node: id })}
              title=${`${words(kind)}, in ${counted(count ?? 0, 'work')}`}
              >${label} <small>${`${words(kind)} · ${number(count ?? 0)}`}</small></a
            >
          </li>`,
      )}
    </ul>
  </section>`;
}
