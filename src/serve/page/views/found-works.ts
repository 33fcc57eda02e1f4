import type { List, Work } from '../answers.ts';
import { counted, number, outcomeName, words } from '../format.ts';
import type { Fetched, View } from '../scene.ts';
import { html, useLoaded, useScene } from '../scene.ts';
import type { Query } from '../source.ts';
import { address } from '../source.ts';
import type { Named } from './most-named.ts';
import { mostNamed } from './most-named.ts';

const MOST_WORKS = 5;
/** Of each kind, for those with the words as they are. */
const MOST_READ = 30;
/** Kinds that are found as works and sentences. */
const NOT_NAMES = new Set(['work', 'quantity']);

/** What words find besides sentences. */
export interface Found {
  readonly works: readonly Work[];
  readonly total: number;
  readonly names: readonly Named[];
}

/**
 * Works whose title, authors, journal or ids have these words, and names in the papers, the most often named first; without
 * words, the terms of the library. Both at once, so that nothing moves when one is slower.
 */
export function useFound(q: string, filter: Query, isOfSentences: boolean): Fetched<Found> {
  const { source, run, runPath } = useScene();
  const asked = { ...filter, q };
  const [found] = useLoaded(`${address('', asked)} ${isOfSentences}`, async (signal) => {
    const works = async (): Promise<List<Work>> =>
      q === '' || isOfSentences
        ? { items: [], next: null }
        : await source.get<List<Work>>(runPath('works'), { ...asked, limit: MOST_WORKS }, signal);
    const names = async (): Promise<readonly Named[]> => {
      if (run?.has_graph !== true || source.report) return [];
      const query = q === '' ? { ask: 'terms' } : { ask: 'find', node: q };
      const { rows } = await source.get<{ readonly rows: readonly Named[] }>(
        runPath('graph'),
        { ...query, limit: MOST_READ },
        signal,
      );
      return mostNamed(
        rows.filter(({ kind }) => !NOT_NAMES.has(kind)),
        q,
      );
    };
    const [list, named] = await Promise.all([works(), names()]);
    return { works: list.items.slice(0, MOST_WORKS), total: list.total ?? list.items.length, names: named };
  });
  return found;
}

/** The first few works, and a link to all. */
export function FoundWorks({
  found,
  q,
  filter,
}: {
  readonly found: Found;
  readonly q: string;
  readonly filter: Query;
}): View {
  const { query, place, reading } = useScene();
  const { works, total } = found;
  if (works.length === 0) return undefined;
  return html`<section class="found" aria-label="Works">
    <h2>Works${total > MOST_WORKS && html` <a href=${place('/works', { ...filter, q })}>all ${number(total)}</a>`}</h2>
    <ul>
      ${works.map((work) => {
        const isOpen = [query.get('work'), query.get('document')].includes(work.document ?? work.id);
        const state = work.outcome === 'saved' || work.outcome === 'local' ? null : outcomeName(work.outcome);
        return html`<li class=${isOpen ? 'open' : ''} key=${work.id}>
          <a href=${reading({ document: work.document, work: work.id })} title=${work.title ?? work.id}
            >${work.title ?? work.id}</a
          >
          <small>
            ${work.retracted && html`<strong class="retracted">retracted </strong>`}
            ${[work.authors, work.year, state].filter((each) => each).join(' · ')}
          </small>
        </li>`;
      })}
    </ul>
  </section>`;
}

export function FoundNames({ found, q }: { readonly found: Found; readonly q: string }): View {
  const { place } = useScene();
  if (found.names.length === 0) return undefined;
  return html`<section class="found names" aria-label="Names">
    <h2>${q === '' ? 'Often named' : 'Names'}</h2>
    <ul>
      ${found.names.map(
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
