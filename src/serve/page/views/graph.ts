import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type {
  GraphPicture,
  PictureEdge,
  PictureEdgeKind,
  PictureEvidence,
  PictureNode,
} from '../../../graph/picture/index.ts';
import { counted, number } from '../format.ts';
import { field, link } from '../parts.ts';
import type { Scene, View } from '../scene.ts';
import { html, shown, useAnswer, useLoaded, useScene } from '../scene.ts';
import { GraphDrawing, isBareId } from './graph-drawing.ts';

interface Named {
  readonly id: string;
  readonly label: string;
}

const FIRST_SHOWN: readonly PictureEdgeKind[] = ['cites', 'version_of', 'retracts', 'related'];
const NAMES: Readonly<Partial<Record<PictureEdgeKind, readonly [out: string, back: string]>>> = {
  cites: ['Cites', 'Cited by'],
  related: ['Related: cited together or citing the same', ''],
  version_of: ['Version of', 'Has version'],
  retracts: ['Retracts', 'Retracted by'],
  authored_by: ['Authors', ''],
  published_in: ['Published in', ''],
  funded_by: ['Funded by', ''],
  about: ['About', ''],
  defines: ['Defines', ''],
  uses: ['Uses', ''],
  measures: ['Measures', ''],
  states: ['Claims', ''],
};

function relationName(kind: string): string {
  return (NAMES[kind as PictureEdgeKind]?.[0] ?? kind).split(':')[0]?.toLowerCase().replaceAll('_', ' ') ?? kind;
}

export function GraphView(): View {
  const { query, source, run, runPath } = useScene();
  const [works] = useLoaded('', async (signal) => {
    if (!run?.has_graph) return [];
    return (await source.get<{ readonly items: readonly Named[] }>(runPath('graph', 'works'), {}, signal)).items;
  });
  if (!run?.has_graph)
    return html`<p class="note">
      This run has no graph yet. Build one with${' '}
      <code>docstokg graph build ${run?.folder}</code
      >${source.report && ' in the folder of this file, then write the report again'}.
    </p>`;
  return shown(works, (all) => {
    const node = query.get('node') ?? all[0]?.id;
    return node === undefined
      ? html`<p class="note">The graph has no works.</p>`
      : html`<${Neighbourhood} works=${all} node=${node} key=${node} />`;
  });
}

function Neighbourhood({ works, node }: { readonly works: readonly Named[]; readonly node: string }): View {
  const { runPath } = useScene();
  const picture = useAnswer<GraphPicture>(runPath('graph', 'picture'), { node });
  return html`<div class="surroundings">
    <${Chooser} works=${works} node=${node} />
    ${shown(picture, (value) => html`<${Around} picture=${value} works=${works} />`)}
  </div>`;
}

function Chooser({ works, node }: { readonly works: readonly Named[]; readonly node: string }): View {
  const { set } = useScene();
  const input = useRef<HTMLInputElement>(null);
  const name = (at: number): string => `${at + 1}. ${works[at]?.label ?? ''}`;
  const here = works.findIndex(({ id }) => id === node);
  useLayoutEffect(() => {
    if (input.current) input.current.value = here < 0 ? '' : name(here);
  }, [here]);
  const choose = (): void => {
    const typed = input.current?.value.trim().toLowerCase() ?? '';
    const [, numbered] = /^(\d{1,9})(?:\.|$)/.exec(typed) ?? [];
    const typedWords = typed.split(/\s+/);
    const at =
      numbered === undefined
        ? works.findIndex(({ label }) => typedWords.every((word) => label.toLowerCase().includes(word)))
        : Number(numbered) - 1;
    if (typed !== '' && works[at]) set({ node: works[at].id });
    if (input.current) input.current.value = name(here);
  };
  return html`<div class="choice">
    ${field(
      `Work (${number(works.length)} in the graph)`,
      html`<input
        type="search"
        name="work"
        list="graph-works"
        placeholder="a number, or words of a title"
        autocomplete="off"
        ref=${input}
        onFocus=${() => input.current?.select()}
        onChange=${choose}
      />`,
    )}
    <datalist id="graph-works">${works.map((_, at) => html`<option value=${name(at)} />`)}</datalist>
  </div>`;
}

function Around({ picture, works }: { readonly picture: GraphPicture; readonly works: readonly Named[] }): View {
  const counts = new Map<PictureEdgeKind, number>();
  for (const { kind, source, target } of picture.edges)
    if (source === 0 || target === 0) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const first = FIRST_SHOWN.filter((kind) => counts.has(kind));
  const [kinds, setKinds] = useState<ReadonlySet<PictureEdgeKind>>(new Set(first.length === 0 ? counts.keys() : first));
  const [open, setOpen] = useState<number>();
  const lists = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const item = lists.current?.querySelector<HTMLElement>('details[open] > summary');
    if (item && lists.current && open !== undefined)
      lists.current.scrollTop = item.offsetTop - lists.current.offsetTop - 8;
  }, [open]);
  const edges = picture.edges.map((edge, at) => ({ ...edge, at })).filter(({ kind }) => kinds.has(kind));
  const drawn = new Set([0, ...edges.flatMap(({ source, target }) => [source, target])]);
  const toggle = (kind: PictureEdgeKind): void => setKinds((before) => before.symmetricDifference(new Set([kind])));
  const omitted = Object.entries(picture.leftOut).map(
    ([kind, count]) => `${number(count)} more: ${relationName(kind)}`,
  );
  const unnamed = picture.nodes.filter((each, at) => drawn.has(at) && isBareId(each)).length;
  const pick = (node: number): void =>
    setOpen(edges.find(({ source, target }) => source === node || target === node)?.at);
  const chosen = open === undefined ? undefined : picture.edges[open];
  return [
    html`<fieldset class="kinds">
      <legend>Kinds of edges</legend>
      ${[...counts].map(
        ([kind, count]) =>
          html`<label
            ><input type="checkbox" name=${kind} checked=${kinds.has(kind)} onChange=${() => toggle(kind)} />
            ${relationName(kind)} (${number(count)})</label
          >`,
      )}
    </fieldset>`,
    html`<p class="hint" role="status">
      ${[`${counted(edges.length, 'edge')} and ${counted(drawn.size, 'node')}. Larger: cited more often`, ...omitted].join('; ')}.
      ${unnamed > 0 && ` ${counted(unnamed, 'cited work')} without a title; docstokg graph build --lookup fetches titles.`}
    </p>`,
    html`<div class="reader wide">
      <div class="desk">
        <${GraphDrawing}
          picture=${picture}
          edges=${edges}
          chosen=${chosen && (chosen.source === 0 ? chosen.target : chosen.source)}
          pick=${pick}
          pickEdge=${setOpen}
        />
      </div>
      <div class="around" tabindex="-1" ref=${lists}>
        <h3>${picture.nodes[0]?.label}</h3>
        ${groupsOf(picture, edges).map(
          ([name, group]) =>
            html`<section key=${name}>
              <h4>${name} (${number(group.length)})</h4>
              <ul>
                ${group.map(
                  ({ edge, other }) =>
                    html`<li key=${edge.at}>
                      <${EdgeItem}
                        edge=${edge}
                        node=${picture.nodes[other]}
                        works=${works}
                        open=${open === edge.at}
                        toggle=${(is: boolean) => setOpen(is ? edge.at : undefined)}
                      />
                    </li>`,
                )}
              </ul>
            </section>`,
        )}
      </div>
    </div>`,
  ];
}

type PlacedEdge = PictureEdge & { readonly at: number };

/** Edges of the central work by kind and direction, then those among its neighbours; works without a title last. */
function groupsOf(picture: GraphPicture, edges: readonly PlacedEdge[]) {
  const groups = Map.groupBy(edges, ({ source, target, kind }) => {
    const [out = kind, back = kind] = NAMES[kind] ?? [];
    return source === 0 ? out : target === 0 ? back : `${picture.nodes[source]?.label ?? ''} cites`;
  });
  const own = new Set<string>(Object.values(NAMES).flat());
  const bare = (at: number): number => Number(picture.nodes[at] && isBareId(picture.nodes[at]));
  return [...groups]
    .toSorted(([a], [b]) => Number(!own.has(a)) - Number(!own.has(b)))
    .map(([name, group]) => {
      const listed = group.map((edge) => ({ edge, other: edge.target === 0 ? edge.source : edge.target }));
      return [name, listed.toSorted((a, b) => bare(a.other) - bare(b.other))] as const;
    });
}

function EdgeItem(props: {
  readonly edge: PlacedEdge;
  readonly node: PictureNode;
  readonly works: readonly Named[];
  readonly open: boolean;
  readonly toggle: (open: boolean) => void;
}): View {
  const { edge, node, works, open, toggle } = props;
  const { place } = useScene();
  const { evidence, shared } = edge;
  const [, openalex] = /^openalex:(W\d+)$/.exec(node.label) ?? [];
  return html`<details
    open=${open}
    onToggle=${(event: Event) => {
      const is = (event.target as HTMLDetailsElement).open;
      if (is !== open) toggle(is);
    }}
  >
    <summary>
      ${isBareId(node) ? [html`<em>title not known</em>`, ` (${node.label.replace(':', ' ')})`] : node.label}
      ${node.cited > 0 && html`<small> cited ${number(node.cited)}×</small>`}
    </summary>
    ${openalex !== undefined && html`<p>${link(`https://openalex.org/${openalex}`, `${openalex} at OpenAlex`)}</p>`}
    ${shared && html`<p>Cited together by ${counted(shared[0], 'work')}; ${counted(shared[1], 'work')} cited by both.</p>`}
    ${
      evidence.length > 0 &&
      html`<ul>
        ${evidence.map((each) => html`<li>${evidenceOf(each, place)}</li>`)}
      </ul>`
    }
    ${works.some(({ id }) => id === node.id) && html`<p><a href=${place('/graph', { node: node.id })}>Centre on this work</a></p>`}
  </details>`;
}

function evidenceOf(evidence: PictureEvidence, place: Scene['place']): View {
  const { document, quote, page, block, start, end, origin } = evidence;
  if (quote === null) return `according to ${origin ?? 'a catalogue'}`;
  const where = page === null ? 'in the text' : `page ${page}`;
  const at = block === null ? undefined : place('/documents', { document, block, start, end });
  return [
    html`<q>${quote}</q>`,
    ' ',
    at === undefined ? html`<small>${where}</small>` : html`<a href=${at}>${where}</a>`,
  ];
}
