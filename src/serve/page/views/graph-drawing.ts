import { MultiDirectedGraph } from 'graphology';
import louvain from 'graphology-communities-louvain';
import forceAtlas2 from 'graphology-layout-forceatlas2';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Sigma } from 'sigma';

import type { View } from '../scene.ts';
import { button, html } from '../scene.ts';
import { resolvedColour } from '../theme.ts';
import type { DrawnEdge, DrawnGraph, DrawnNode } from './graph-model.ts';
import { isBareId, NamePlaces, yearBands } from './graph-model.ts';

/** How nodes are placed: works that share links near each other, or from left to right by year. */
export type Placing = 'links' | 'years';
/** What gives nodes their colours. */
export type Colouring = 'kind' | 'community' | 'year';

const LABEL_CHARS = 40;
const LABEL_PIXELS = 12;
const [LEAST_SIZE, OWN_SIZE, CENTRE_SIZE, MOST_SIZE] = [4, 8, 10, 18];
/** Turn between nodes of a spiral, which spreads them evenly; the layout begins from it. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** Rounds of the layout. Graphs with more nodes than `LARGE` are drawn first and settle in fewer, between frames. */
const [ROUNDS, LARGE_ROUNDS, LARGE] = [300, 80, 250];
/** Most time for the places of a large graph, and time between two pictures of it meanwhile. */
const [SETTLING_MS, PICTURE_MS] = [5_000, 1_000];
/** Names offered to each part of the drawing; of large graphs most would find no room. */
const [NAMES, LARGE_NAMES] = [10, 1];
const [ZOOM_STEP, ZOOM_MS] = [1.5, 150];
/** Distinct with every kind of colour vision, on light and dark grounds. */
const COLOURS = [
  '#2f7fc1',
  '#8a9099',
  '#2a9d78',
  '#d0632a',
  '#8e5bb5',
  '#c79a1b',
  '#c2457d',
  '#4aa3a2',
  '#7a6a4f',
  '#5b6bd6',
  '#9bb03a',
  '#e08f9f',
];

/** The colour of what has no year. */
export const NO_YEAR = '#8a9099';

/** The groups of a graph in the order of the legend, each with its colour. */
export function legendOf(graph: DrawnGraph): ReadonlyMap<string, string> {
  const first = ['in the library', 'cited work'];
  const groups = [...new Set([...graph.nodes.values()].map(({ group }) => group))];
  const ordered = [...first, ...groups.filter((group) => !first.includes(group)).toSorted()];
  return new Map(ordered.map((group, at) => [group, COLOURS[at % COLOURS.length] ?? '']));
}

/** The graph on a canvas: drag and wheel move it, a click chooses a node. The list beside it has the same data. */
export function GraphDrawing(props: {
  readonly graph: DrawnGraph;
  readonly edges: readonly DrawnEdge[];
  readonly shown: ReadonlySet<string>;
  readonly chosen: string;
  readonly placing: Placing;
  readonly colouring: Colouring;
  readonly pick: (node: string) => void;
}): View {
  const { graph, edges, shown, chosen, placing, colouring, pick } = props;
  const ground = useRef<HTMLDivElement>(null);
  const drawing = useRef<Sigma | undefined>(undefined);
  const [isPossible, setPossible] = useState(true);
  const [hovered, setHovered] = useState<string>();
  const focus = useRef<{ chosen: string; hovered: string | undefined }>({ chosen, hovered });
  focus.current = { chosen, hovered };
  const latest = useRef(pick);
  latest.current = pick;
  useEffect(() => {
    const box = ground.current;
    if (!box) return undefined;
    const drawn = graphOf(graph, edges, shown, placing, colouring);
    const colour = (name: string): string => resolvedColour(box, `var(${name})`);
    const [ink, soft, line, raised] = [colour('--ink'), colour('--soft'), colour('--line'), colour('--raised')];
    const names = new NamePlaces(LABEL_PIXELS);
    const widths = new Map<string, number>();
    let sigma: Sigma;
    try {
      sigma = new Sigma(drawn, box, {
        allowInvalidContainer: true,
        labelFont: 'system-ui, sans-serif',
        labelSize: LABEL_PIXELS,
        labelColor: { color: ink },
        // All names are offered; those that would cover another are not drawn.
        labelRenderedSizeThreshold: 0,
        labelDensity: drawn.order > LARGE ? LARGE_NAMES : NAMES,
        labelGridCellSize: 60,
        defaultDrawNodeLabel: (context, data, settings) => {
          const label = data['label'] ?? '';
          if (label === '') return;
          context.font = `${settings.labelSize}px ${settings.labelFont}`;
          const width = widths.get(label) ?? context.measureText(label).width;
          widths.set(label, width);
          const place = names.take(data, width, box.clientWidth);
          if (place === undefined) return;
          context.lineWidth = 3;
          context.strokeStyle = raised;
          context.strokeText(label, place, data.y + settings.labelSize / 3);
          context.fillStyle = ink;
          context.fillText(label, place, data.y + settings.labelSize / 3);
        },
        zIndex: true,
        stagePadding: 50,
        defaultEdgeColor: line,
        defaultDrawNodeHover: (context, data, settings) => {
          // The name on a ground of its own: sigma's is white in every theme.
          const label = data['label'] ?? '';
          context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
          const width = label === '' ? 0 : context.measureText(label).width + 8;
          context.fillStyle = raised;
          context.fillRect(data.x, data.y - 10, data.size + width + 2, 20);
          context.fillStyle = data.color;
          context.beginPath();
          context.arc(data.x, data.y, data.size + 2, 0, 2 * Math.PI);
          context.fill();
          context.fillStyle = ink;
          context.fillText(label, data.x + data.size + 4, data.y + settings.labelSize / 3);
        },
        nodeReducer: (node, data) => {
          const { chosen: own, hovered: over } = focus.current;
          const lit = over ?? own;
          const isNear = node === lit || drawn.areNeighbors(node, lit);
          return {
            ...data,
            ...(node === own && { highlighted: true, forceLabel: true, zIndex: 2 }),
            ...(over !== undefined && !isNear && { color: line, label: '' }),
            ...(over !== undefined && isNear && { forceLabel: true, zIndex: 1 }),
          };
        },
        edgeReducer: (edge, data) => {
          const { chosen: own, hovered: over } = focus.current;
          const isOwn = drawn.extremities(edge).includes(over ?? own);
          return { ...data, ...(isOwn ? { color: soft, size: 1.6 } : over !== undefined && { hidden: true }) };
        },
      });
    } catch {
      // Without WebGL there is nothing to draw on.
      setPossible(false);
      return undefined;
    }
    sigma.on('beforeRender', () => names.clear());
    sigma.on('clickNode', ({ node }) => latest.current(node));
    sigma.on('enterNode', ({ node }) => setHovered(node));
    sigma.on('leaveNode', () => setHovered(undefined));
    const camera = sigma.getCamera();
    const zoomed = (): void => {
      box.dataset['zoom'] = (1 / camera.ratio).toFixed(2);
    };
    camera.on('updated', zoomed);
    zoomed();
    drawing.current = sigma;
    delete box.dataset['settled'];
    const settled = (): void => void (box.dataset['settled'] = 'true');
    const isLate = placing === 'links' && drawn.order > LARGE;
    const settling = isLate ? settle(drawn, settled) : undefined;
    if (!isLate) settled();
    return () => {
      settling?.abort();
      drawing.current = undefined;
      sigma.kill();
    };
  }, [graph, edges, shown, placing, colouring]);
  useEffect(() => void drawing.current?.refresh({ skipIndexation: true }), [chosen, hovered]);
  const zoom = (by: number): void => {
    const camera = drawing.current?.getCamera();
    camera?.setState({ ratio: Math.min(4, Math.max(0.05, camera.ratio / by)) });
  };
  const all = (): void => void drawing.current?.getCamera().animatedReset({ duration: ZOOM_MS });
  if (!isPossible) return html`<p class="note">This browser draws no WebGL; the list has the same nodes and edges.</p>`;
  const name = graph.nodes.get(chosen)?.label ?? '';
  return html`<div class="canvas">
    <div
      class="ground"
      ref=${ground}
      role="img"
      aria-label=${`Drawing: ${name} among ${shown.size} nodes and ${edges.length} edges`}
      data-nodes=${shown.size}
      data-edges=${edges.length}
    ></div>
    <div class="steps">
      ${button('+', () => zoom(ZOOM_STEP), { 'aria-label': 'Zoom in' })}
      ${button('−', () => zoom(1 / ZOOM_STEP), { 'aria-label': 'Zoom out' })}
      ${button('All', all, { 'aria-label': 'Show all' })}
    </div>
  </div>`;
}

function graphOf(
  { nodes, ...rest }: DrawnGraph,
  edges: readonly DrawnEdge[],
  shown: ReadonlySet<string>,
  placing: Placing,
  colouring: Colouring,
): MultiDirectedGraph {
  const graph = new MultiDirectedGraph();
  const visible = [...shown].flatMap((id) => nodes.get(id) ?? []);
  const colours = legendOf({ nodes, ...rest });
  for (const [at, node] of visible.entries()) {
    const far = 10 * Math.sqrt(at);
    const spiral = { x: far * Math.cos(at * GOLDEN_ANGLE), y: far * Math.sin(at * GOLDEN_ANGLE) };
    const place = placing === 'links' ? spiral : { x: node.x, y: node.y };
    graph.addNode(node.id, { ...attributesOf(node, at === 0, colours.get(node.group) ?? ''), ...place });
  }
  for (const { key, from, to } of edges)
    if (graph.hasNode(from) && graph.hasNode(to)) graph.addEdgeWithKey(key, from, to, { size: 0.7 });
  if (colouring === 'community' && graph.size > 0) {
    const communities = louvain(graph, { rng: () => 0.5 });
    graph.forEachNode((id) => graph.setNodeAttribute(id, 'color', COLOURS[(communities[id] ?? 0) % COLOURS.length]));
  }
  if (colouring === 'year') {
    const bands = yearBands(visible);
    for (const { id, kind, year } of visible) {
      const band = bands.find(({ from, to }) => kind === 'work' && year !== null && year >= from && year <= to);
      graph.setNodeAttribute(id, 'color', band?.colour ?? NO_YEAR);
    }
  }
  if (placing === 'links' && graph.size > 0 && graph.order <= LARGE)
    forceAtlas2.assign(graph, { iterations: ROUNDS, settings: layoutOf(graph) });
  return graph;
}

function layoutOf(graph: MultiDirectedGraph) {
  const isLarge = graph.order > LARGE;
  return {
    ...forceAtlas2.inferSettings(graph),
    barnesHutOptimize: isLarge,
    adjustSizes: !isLarge,
    gravity: 1.5,
  };
}

/** Lets a large graph find its places while it is seen and can be moved; ends after its rounds or its time, or when aborted. */
function settle(graph: MultiDirectedGraph, settled: () => void): AbortController {
  const stop = new AbortController();
  const [copy, settings] = [graph.copy(), layoutOf(graph)];
  let [rounds, spent, shownAt] = [0, 0, performance.now()];
  const show = (): void => {
    const place = (id: string) => ({
      x: Number(copy.getNodeAttribute(id, 'x')),
      y: Number(copy.getNodeAttribute(id, 'y')),
    });
    graph.updateEachNodeAttributes((id, attributes) => ({ ...attributes, ...place(id) }), { attributes: ['x', 'y'] });
    shownAt = performance.now();
  };
  const step = (): void => {
    if (stop.signal.aborted) return;
    const began = performance.now();
    forceAtlas2.assign(copy, { iterations: 1, settings });
    rounds += 1;
    spent += performance.now() - began;
    const isDone = rounds === LARGE_ROUNDS || spent > SETTLING_MS;
    if (isDone || performance.now() - shownAt > PICTURE_MS) show();
    if (isDone) settled();
    else setTimeout(step);
  };
  setTimeout(step);
  return stop;
}

function attributesOf(node: DrawnNode, isCentre: boolean, color: string) {
  const name = isBareId(node) ? '' : node.label;
  return {
    size: Math.min(
      MOST_SIZE,
      Math.max(isCentre ? CENTRE_SIZE : node.inCorpus ? OWN_SIZE : 0, LEAST_SIZE + 1.6 * Math.log2(1 + node.cited)),
    ),
    label: name.length > LABEL_CHARS ? `${name.slice(0, LABEL_CHARS - 1).trimEnd()}…` : name,
    color,
  };
}
