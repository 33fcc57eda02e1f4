import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { GraphPicture, PictureEdgeKind, PictureEvidence } from '../../../graph/picture/index.ts';
import type { GraphLine } from '../answers.ts';
import { key } from '../charts.ts';
import { counted, number, typed } from '../format.ts';
import { field, link, QueryChoice } from '../parts.ts';
import type { Scene, View } from '../scene.ts';
import { button, fault, html, shown, useLoaded, useScene } from '../scene.ts';
import type { Colouring, Placing } from './graph-drawing.ts';
import { GraphDrawing, legendOf, NO_YEAR } from './graph-drawing.ts';
import type { DrawnEdge, DrawnGraph, DrawnNode } from './graph-model.ts';
import { isBareId, joined, yearBands } from './graph-model.ts';
import { GraphQuestions, isNotThere, notThere } from './graph-questions.ts';

interface Named {
  readonly id: string;
  readonly label: string;
}

/** What is drawn of a work at first: other works, and what leads to them. */
const FIRST_SHOWN: readonly PictureEdgeKind[] = ['cites', 'version_of', 'retracts', 'related', 'states', 'names'];
const NAMES: Readonly<Partial<Record<PictureEdgeKind, readonly [out: string, back: string]>>> = {
  cites: ['Cites', 'Cited by'],
  related: ['Related: cited together or citing the same', ''],
  version_of: ['Version of', 'Has version'],
  retracts: ['Retracts', 'Retracted by'],
  authored_by: ['Authors', 'Works'],
  published_in: ['Published in', 'Works'],
  funded_by: ['Funded by', 'Works'],
  about: ['About', 'Works about it'],
  defines: ['Defines', 'Defined in'],
  uses: ['Uses', 'Used in'],
  measures: ['Measures', 'Measured in'],
  states: ['Findings', 'Stated in'],
  names: ['Names', 'Named in'],
  studies: ['Studies', 'Studied in'],
  determines: ['Determines', 'Determined in'],
  has_subject: ['Is about', 'Findings about it'],
  has_object: ['Is about what it does to', 'Findings about what is done to it'],
  in_population: ['In', 'Findings in it'],
  compared_with: ['Compared with', 'Findings compared with it'],
};

function relationName(kind: string): string {
  return (NAMES[kind as PictureEdgeKind]?.[0] ?? kind).split(':')[0]?.toLowerCase().replaceAll('_', ' ') ?? kind;
}

export function GraphView(): View {
  const { query, source, run, runPath } = useScene();
  const [works] = useLoaded(String(run?.has_graph), async (signal) => {
    if (!run?.has_graph) return [];
    return (await source.get<{ readonly items: readonly Named[] }>(runPath('graph', 'works'), {}, signal)).items;
  });
  if (!run?.has_graph) return html`<${NoGraph} />`;
  const drawing = shown(works, (all) => {
    const node = query.get('node') ?? all[0]?.id;
    return node === undefined
      ? html`<p class="note">The graph has no works.</p>`
      : html`<${Neighbourhood} works=${all} node=${node} key=${node} />`;
  });
  return [!source.report && html`<${GraphQuestions} />`, drawing];
}

/** What is there before a graph is, with a button that builds it where that is allowed. */
function NoGraph(): View {
  const { source, about, run, runPath, reload } = useScene();
  const [stop, setStop] = useState<AbortController>();
  const [progress, setProgress] = useState<Extract<GraphLine, { kind: 'progress' }>>();
  const [said, setSaid] = useState<View>('');
  const command = html`<code>docstokg graph build ${typed(run?.folder)}</code>`;
  const build = (): void => {
    const controller = new AbortController();
    setStop(controller);
    setSaid('');
    const receive = (line: GraphLine): void => {
      if (line.kind === 'progress') setProgress(line);
      else if (line.kind === 'warning') setSaid(line.message);
    };
    source
      .lines(runPath('graph', 'build'), { body: {} }, receive, controller.signal)
      .then(reload)
      .catch((error: unknown) => setSaid(controller.signal.aborted ? 'Stopped; build again to go on.' : fault(error)))
      .finally(() => setStop(undefined));
  };
  return html`<div class="note building">
    <p>
      This library has no graph yet. It connects the papers by what they cite, name, measure and find, each edge with
      its sentence.
    </p>
    ${
      about.control
        ? html`<p class="acts">
            ${
              stop
                ? button('Stop', () => stop.abort())
                : html`<button type="button" onClick=${build}>Build the graph</button>`
            }
            <span class="hint" role="status">${stop ? reading(progress) : said}</span>
          </p>`
        : html`<p>
              Build it with ${command}${source.report && ' in the folder of this file, then write the report again'}.
            </p>
            ${!source.report && html`<p class="hint">Started with <code>--allow-control</code>, this page builds it itself.</p>`}`
    }
    ${stop && html`<progress max=${progress?.total ?? 1} value=${progress?.done} aria-label="Papers read"></progress>`}
  </div>`;
}

function reading(progress: { readonly done: number; readonly total: number | null } | undefined): string {
  if (!progress) return 'Beginning …';
  const { done, total } = progress;
  if (total !== null && done >= total) return 'All papers are read; connecting them …';
  return `${number(done)}${total === null ? '' : ` of ${number(total)}`} papers read, some seconds each …`;
}

/** How many neighbourhoods one may add to the first. */
const MOST_ADDED = 20;
/** The parameter of an added one; ids of nodes contain commas and spaces. */
const SEPARATOR = '|';

function Neighbourhood({ works, node }: { readonly works: readonly Named[]; readonly node: string }): View {
  const { query, source, runPath } = useScene();
  const added = query.get('with') ?? '';
  const [pictures] = useLoaded(added, async (signal) => {
    const ids = [
      node,
      ...added
        .split(SEPARATOR)
        .filter((id) => id !== '')
        .slice(0, MOST_ADDED),
    ];
    const load = (id: string): Promise<GraphPicture> =>
      source.get<GraphPicture>(runPath('graph', 'picture'), { node: id }, signal);
    return await Promise.all(ids.map(load));
  });
  return html`<div class="surroundings">
    ${isNotThere(pictures) ? notThere(node) : shown(pictures, (value) => html`<${Around} pictures=${value} works=${works} node=${node} />`)}
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
    if (typed !== '' && works[at]) set({ node: works[at].id, with: '' });
    if (input.current) input.current.value = name(here);
  };
  return [
    field(
      `Work (${number(works.length)} in the graph)`,
      html`<input
        type="search"
        name="work"
        list="graph-works"
        placeholder="number or title"
        autocomplete="off"
        ref=${input}
        onFocus=${() => input.current?.select()}
        onChange=${choose}
      />`,
    ),
    html`<datalist id="graph-works">${works.map((_, at) => html`<option value=${name(at)} />`)}</datalist>`,
  ];
}

function Around(props: {
  readonly pictures: readonly GraphPicture[];
  readonly works: readonly Named[];
  readonly node: string;
}): View {
  const { pictures, works, node } = props;
  const { query, set } = useScene();
  const graph = useMemo(() => joined(pictures), [pictures]);
  const centre = pictures[0]?.nodes[0]?.id ?? '';
  const counts = countedBy(graph.edges, ({ kind }) => kind);
  // Of a name everything is shown: works that have it, and findings.
  const isWork = graph.nodes.get(centre)?.kind === 'work';
  const first = isWork ? FIRST_SHOWN.filter((kind) => counts.has(kind)) : [];
  const [hidden, setHidden] = useState<ReadonlySet<string>>(
    () => new Set(first.length === 0 ? [] : [...counts.keys()].filter((kind) => !first.includes(kind))),
  );
  const [unseen, setUnseen] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState(centre);
  const [open, setOpen] = useState<string>();
  const own = useOwn(chosen, centre);
  const lists = useRef<HTMLDivElement>(null);
  const placing: Placing = query.get('layout') === 'years' ? 'years' : 'links';
  const colouring: Colouring = COLOURINGS.find(([name]) => name !== '' && name === query.get('colours'))?.[1] ?? 'kind';
  const isDrawn = (id: string): boolean => id === centre || !unseen.has(graph.nodes.get(id)?.group ?? '');
  const edges = useMemo(
    () => graph.edges.filter(({ kind, from, to }) => !hidden.has(kind) && isDrawn(from) && isDrawn(to)),
    [graph, hidden, unseen],
  );
  const drawn = useMemo(() => new Set([centre, ...edges.flatMap(({ from, to }) => [from, to])]), [edges, centre]);
  const isOwn = own !== undefined && own.nodes.has(chosen);
  const focus = isOwn ? own.nodes.get(chosen) : graph.nodes.get(drawn.has(chosen) ? chosen : centre);
  useLayoutEffect(() => {
    if (lists.current) lists.current.scrollTop = 0;
  }, [chosen]);
  if (!focus) return html`<p class="note">This work is not in the graph.</p>`;
  const legend = legendOf(graph);
  const groups = countedBy(
    [...drawn].flatMap((id) => graph.nodes.get(id) ?? []),
    ({ group }) => group,
  );
  const everyGroup = new Set([...graph.nodes.values()].map(({ group }) => group));
  const leftOut = pictures.flatMap((picture) =>
    Object.entries(picture.leftOut).map(([kind, count]) => `${number(count)} ${relationName(kind)}`),
  );
  const unnamed = [...drawn].filter((id) => isBareId(graph.nodes.get(id) ?? focus)).length;
  const added = (query.get('with') ?? '').split(SEPARATOR).filter((id) => id !== '');
  /** Draws the neighbours of a node too, whatever kinds of edges lead to them. */
  const expand = (id: string): void => {
    if (isOwn) setHidden((before) => before.difference(new Set(own.edges.map(({ kind }) => kind))));
    set({ with: [...added, id].join(SEPARATOR) });
  };
  const isExpandable = (id: string): boolean =>
    id !== centre &&
    !added.includes(id) &&
    added.length < MOST_ADDED &&
    (isOwn || works.some((work) => work.id === id));
  const pick = (id: string): void => {
    // What leads to it is drawn with it.
    if (!drawn.has(id) && isExpandable(focus.id)) expand(focus.id);
    setChosen(id);
    setOpen(undefined);
  };
  return [
    html`<div class="choice">
      <${Chooser} works=${works} node=${node} />
      <${Finder} nodes=${[...drawn].flatMap((id) => graph.nodes.get(id) ?? [])} pick=${pick} />
      <${QueryChoice} name="Placed by" parameter="layout" options=${PLACINGS} />
      <${QueryChoice} name="Coloured by" parameter="colours" options=${COLOURINGS} />
    </div>`,
    html`<fieldset class="kinds">
      <legend>Edges</legend>
      ${[...counts].map(
        ([kind, count]) =>
          html`<label
            ><input
              type="checkbox"
              name=${kind}
              checked=${!hidden.has(kind)}
              onChange=${() => setHidden((before) => before.symmetricDifference(new Set([kind])))}
            />
            ${relationName(kind)} (${number(count)})</label
          >`,
      )}
    </fieldset>`,
    colouring === 'kind' &&
      html`<fieldset class="kinds">
        <legend>Nodes</legend>
        ${[...legend].flatMap(([group, colour]) =>
          everyGroup.has(group) && (groups.has(group) || unseen.has(group))
            ? [
                html`<label
                  ><input
                    type="checkbox"
                    name=${group}
                    checked=${!unseen.has(group)}
                    onChange=${() => setUnseen((before) => before.symmetricDifference(new Set([group])))}
                  />
                  ${key(html`<circle cx="6" cy="6" r="6" fill=${colour} />`)}${`${group} (${number(groups.get(group) ?? 0)})`}</label
                >`,
              ]
            : [],
        )}
      </fieldset>`,
    colouring === 'year' &&
      html`<ul class="legend" aria-label="Colours">
        ${yearBands([...drawn].flatMap((id) => graph.nodes.get(id) ?? [])).map(
          ({ from, to, colour }) =>
            html`<li>
              ${key(html`<circle cx="6" cy="6" r="6" fill=${colour} />`)} ${from === to ? from : `${from}–${to}`}
            </li>`,
        )}
        <li>${key(html`<circle cx="6" cy="6" r="6" fill=${NO_YEAR} />`)} no year</li>
      </ul>`,
    html`<p class="hint" role="status">
      ${`${counted(drawn.size, 'node')}, larger when more works cite or name it, and ${counted(edges.length, 'edge')}.`}
      ${leftOut.length > 0 && ` Too many to draw: ${leftOut.join(', ')}.`}
      ${unnamed > 0 && ` ${counted(unnamed, 'cited work')} without a title; docstokg graph build --lookup fetches titles.`}
    </p>`,
    html`<div class="reader wide">
      <${GraphDrawing}
        graph=${graph}
        edges=${edges}
        shown=${drawn}
        chosen=${drawn.has(focus.id) ? focus.id : centre}
        placing=${placing}
        colouring=${colouring}
        pick=${pick}
      />
      <div class="around" tabindex="-1" ref=${lists}>
        <h3>${focus.label}</h3>
        <p class="acts">
          <${NodeActs}
            node=${focus}
            centre=${centre}
            expand=${isExpandable(focus.id) ? () => expand(focus.id) : undefined}
          />
          ${focus.id !== centre && button('Back to the first', () => pick(centre))}
          ${added.length > 0 && button('Only the first', () => set({ with: '' }))}
        </p>
        ${groupsOf(isOwn ? own : graph, focus, isOwn ? own.edges : edges).map(
          ([name, group]) =>
            html`<section key=${name}>
              <h4>${name} (${number(group.length)})</h4>
              <ul>
                ${group.map(
                  ({ edge, other }) =>
                    html`<li key=${edge.key}>
                      <${EdgeItem}
                        edge=${edge}
                        node=${other}
                        open=${open === edge.key}
                        toggle=${(is: boolean) => setOpen(is ? edge.key : undefined)}
                        pick=${pick}
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

const PLACINGS = [
  ['', 'links'],
  ['years', 'year'],
] as const;
const COLOURINGS = [
  ['', 'kind'],
  ['community', 'community'],
  ['year', 'year'],
] as const;

function countedBy<T, K>(items: readonly T[], by: (item: T) => K): Map<K, number> {
  return new Map([...Map.groupBy(items, by)].map(([name, group]) => [name, group.length]));
}

/** The neighbours of a chosen node, also those that are not drawn; a report has those of its works only. */
function useOwn(chosen: string, centre: string): DrawnGraph | undefined {
  const { source, runPath } = useScene();
  const [own] = useLoaded(chosen, async (signal) =>
    source.report || chosen === centre
      ? undefined
      : joined([await source.get<GraphPicture>(runPath('graph', 'picture'), { node: chosen }, signal)]),
  );
  const graph = own.kind === 'answered' ? own.value : undefined;
  const [first] = graph?.nodes.keys() ?? [];
  return first === chosen ? graph : undefined;
}

/** What one can do with a node: read the work, draw its own neighbours too, or begin from it. */
function NodeActs(props: {
  readonly node: DrawnNode;
  readonly centre: string;
  readonly expand: (() => void) | undefined;
}): View {
  const { node, centre, expand } = props;
  const { source, place, reading } = useScene();
  return [
    node.kind === 'work' && node.inCorpus && html`<a class="quiet" href=${reading({ work: node.id })}>Read</a>`,
    expand && button('Expand', expand, { title: 'draw its neighbours too, with the other works that have it' }),
    node.id !== centre &&
      (!source.report || node.inCorpus) &&
      html`<a class="quiet" href=${place('/graph', { node: node.id })}>Begin here</a>`,
  ];
}

/** Finds a node of the drawing by words of its name. */
function Finder({ nodes, pick }: { readonly nodes: readonly DrawnNode[]; readonly pick: (id: string) => void }): View {
  const input = useRef<HTMLInputElement>(null);
  const find = (): void => {
    const words = (input.current?.value ?? '').toLowerCase().split(/\s+/);
    const found = nodes.find(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
    if (found && words.join('') !== '') pick(found.id);
  };
  return [
    field(
      'Find in the graph',
      html`<input
        type="search"
        name="find"
        list="graph-nodes"
        placeholder="a name"
        autocomplete="off"
        ref=${input}
        onChange=${find}
      />`,
    ),
    html`<datalist id="graph-nodes">${nodes.map(({ label }) => html`<option value=${label} />`)}</datalist>`,
  ];
}

type Listed = { readonly edge: DrawnEdge; readonly other: DrawnNode };

/** The lists that come first. */
const LISTED_FIRST: readonly PictureEdgeKind[] = ['states', 'version_of', 'retracts', 'cites', 'related', 'names'];

function placeOfKind({ kind }: DrawnEdge): number {
  const at = LISTED_FIRST.indexOf(kind);
  return at < 0 ? LISTED_FIRST.length : at;
}

/** The edges of a node by kind and direction, works without a title last; of a finding also the works beyond what it is about. */
function groupsOf(
  { nodes }: DrawnGraph,
  { id: node, kind }: DrawnNode,
  edges: readonly DrawnEdge[],
): (readonly [string, readonly Listed[]])[] {
  const own = edges
    .filter(({ from, to }) => from === node || to === node)
    .toSorted((a, b) => placeOfKind(a) - placeOfKind(b));
  const near = new Set(own.flatMap(({ from, to }) => [from, to]));
  const beyond = kind === 'finding' ? edges.filter(({ from, to }) => !near.has(from) && near.has(to)) : [];
  const about = [...Map.groupBy(beyond, ({ to }) => to)].map(([name, group]) => {
    const works = new Map(group.flatMap((edge) => nodes.get(edge.from) ?? []).map((work) => [work.id, work]));
    const listed = [...works.values()].flatMap((other) =>
      group
        .filter(({ from }) => from === other.id)
        .slice(0, 1)
        .map((edge) => ({ edge, other })),
    );
    return [`Other works with “${nodes.get(name)?.label ?? name}”`, listed] as const;
  });
  const groups = Map.groupBy(own, ({ from, kind }) => {
    const [out = relationName(kind), back = ''] = NAMES[kind] ?? [];
    return from === node || back === '' ? out : back;
  });
  const direct = [...groups].map(([name, group]) => {
    const listed = group.flatMap((edge) => {
      const other = nodes.get(edge.from === node ? edge.to : edge.from);
      return other ? [{ edge, other }] : [];
    });
    return [name, listed.toSorted((a, b) => Number(isBareId(a.other)) - Number(isBareId(b.other)))] as const;
  });
  return [...direct, ...about];
}

function EdgeItem(props: {
  readonly edge: DrawnEdge;
  readonly node: DrawnNode;
  readonly open: boolean;
  readonly toggle: (open: boolean) => void;
  readonly pick: (id: string) => void;
}): View {
  const { edge, node, open, toggle, pick } = props;
  const { reading } = useScene();
  const { evidence, shared } = edge;
  const [, openalex] = /^openalex:(W\d+)$/.exec(node.label) ?? [];
  const times = node.kind === 'work' ? `cited ${number(node.cited)}×` : `in ${number(node.cited)} works`;
  return html`<div class="edge">
    <details
      open=${open}
      onToggle=${(event: Event) => {
        const is = (event.target as HTMLDetailsElement).open;
        if (is !== open) toggle(is);
      }}
    >
      <summary>
        ${isBareId(node) ? [html`<em>title not known</em>`, ` (${node.label.replace(':', ' ')})`] : node.label}
        ${node.cited > (node.kind === 'work' ? 0 : 1) && html`<small> ${times}</small>`}
      </summary>
      ${openalex !== undefined && html`<p>${link(`https://openalex.org/${openalex}`, `${openalex} at OpenAlex`)}</p>`}
      ${shared && html`<p>Cited together by ${counted(shared[0], 'work')}; ${counted(shared[1], 'work')} cited by both.</p>`}
      ${
        evidence.length > 0 &&
        html`<ul>
          ${evidence.map((each) => html`<li>${evidenceOf(each, reading)}</li>`)}
        </ul>`
      }
      ${node.kind === 'work' && node.inCorpus && html`<p><a class="quiet" href=${reading({ work: node.id })}>Read</a></p>`}
    </details>
    ${button('›', () => pick(node.id), { 'aria-label': `Go there: ${node.label}`, title: 'Go there' })}
  </div>`;
}

function evidenceOf(evidence: PictureEvidence, reading: Scene['reading']): View {
  const { document, quote, page, block, start, end, origin } = evidence;
  if (quote === null) return `according to ${origin ?? 'a catalogue'}`;
  const where = page === null ? 'in the text' : `page ${page}`;
  const at = block === null ? undefined : reading({ document, block, start, end });
  return [
    html`<q>${quote}</q>`,
    ' ',
    at === undefined ? html`<small>${where}</small>` : html`<a href=${at}>${where}</a>`,
  ];
}
