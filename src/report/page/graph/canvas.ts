import { MultiDirectedGraph } from 'graphology';
import { Sigma } from 'sigma';
import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from 'sigma/rendering';

import type { GraphPicture, PictureEdge } from '../../../graph/picture/index.ts';
import { yearScale } from '../../../graph/picture/index.ts';
import { html } from '../element.ts';
import { Mover } from './mover.ts';

const LABEL_CHARS = 34;
const LEAST_SIZE = 4;
const MOST_SIZE = 16;
/** Between two years on the axis, in pixels. */
const TICK_PIXELS = 70;

/** What the drawing tells: a node or an edge was clicked. */
interface CanvasEvents {
  readonly node: (at: number) => void;
  readonly edge: (at: number) => void;
}

/** A picture drawn with WebGL: years from left to right, what is cited more is larger. Everything in it stands in lists too. */
export class GraphCanvas {
  readonly element: HTMLElement;
  readonly #ground = html('div', { class: 'ground' });
  readonly #axis = html('div', { class: 'years', 'aria-hidden': 'true' });
  readonly #events: CanvasEvents;
  #sigma: Sigma | undefined;
  #mover: Mover | undefined;
  #chosen: string | undefined;
  /** What the page's style calls by a name. */
  readonly #colours = new Map<string, string>();

  constructor(events: CanvasEvents) {
    this.#events = events;
    this.element = html('div', { class: 'canvas', role: 'img' }, this.#ground, this.#axis);
    // A wheel scrolls the page, as everywhere; with Ctrl it zooms.
    this.#ground.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) event.stopImmediatePropagation();
      },
      { capture: true },
    );
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#dress());
  }

  /** Draws a picture; only edges that `shown` lets through, and the nodes at their ends. */
  draw(picture: GraphPicture, shown: (edge: PictureEdge) => boolean): void {
    this.#mover?.stop();
    this.#sigma?.kill();
    this.#chosen = undefined;
    this.element.setAttribute('aria-label', `Drawing: ${picture.nodes[0]?.label ?? ''} and what is around it, by year`);
    const graph = graphOf(picture, shown);
    this.#sigma = new Sigma(graph, this.#ground, {
      allowInvalidContainer: true,
      enableEdgeEvents: true,
      zIndex: true,
      labelFont: getComputedStyle(document.body).fontFamily,
      labelSize: 12,
      labelDensity: 4,
      labelGridCellSize: 90,
      labelRenderedSizeThreshold: 3,
      stagePadding: 46,
      defaultDrawNodeLabel: drawLabel,
      defaultDrawNodeHover: drawHover,
      nodeReducer: (node, data) => ({
        ...data,
        color: this.#colour(String(data['tone'])),
        ...(node === this.#chosen && { highlighted: true, zIndex: 3 }),
      }),
      edgeReducer: (edge, data) => {
        const isChosen = this.#chosen !== undefined && graph.extremities(edge).includes(this.#chosen);
        const color = this.#colour(isChosen ? '--ink' : String(data['tone']));
        return { ...data, color, ...(isChosen && { zIndex: 2 }) };
      },
    });
    this.#mover = new Mover(this.#sigma, this.#ground);
    this.#sigma.on('clickNode', ({ node }) => this.#events.node(Number(node)));
    this.#sigma.on('clickEdge', ({ edge }) => this.#events.edge(Number(edge)));
    const scale = yearScale(picture.nodes);
    const years = picture.nodes.flatMap(({ kind, year }) => (kind === 'work' && year !== null ? [year] : []));
    this.#sigma.on('afterRender', () => this.#drawYears(scale, Math.min(...years), Math.max(...years)));
    this.#dress();
  }

  /** Marks a node and its edges. */
  choose(at: number | undefined): void {
    this.#chosen = at === undefined ? undefined : String(at);
    this.#sigma?.refresh();
  }

  /** Nearer, farther, or all of it. */
  zoom(how: 'in' | 'out' | 'all'): void {
    const camera = this.#sigma?.getCamera();
    const options = { duration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 200 };
    if (how === 'all') void camera?.animatedReset(options);
    else void (how === 'in' ? camera?.animatedZoom(options) : camera?.animatedUnzoom(options));
  }

  /** Moves the view as a hand would: part of the width, part of the height. */
  pan(right: number, up: number): void {
    const camera = this.#sigma?.getCamera();
    const state = camera?.getState();
    if (camera && state) camera.setState({ x: state.x + right, y: state.y + up });
  }

  /** Colours by day and by night; sigma asks for each anew whenever it is refreshed. */
  #dress(): void {
    this.#colours.clear();
    this.#sigma?.setSetting('labelColor', { color: this.#colour('--ink') });
  }

  #colour(name: string): string {
    const known = this.#colours.get(name);
    if (known !== undefined) return known;
    const found = colour(name);
    this.#colours.set(name, found);
    return found;
  }

  #drawYears(scale: ((year: number) => number) | undefined, first: number, last: number): void {
    const sigma = this.#sigma;
    if (!sigma || !scale) {
      this.#axis.replaceChildren();
      return;
    }
    const at = (year: number): number => sigma.graphToViewport({ x: scale(year), y: 0 }).x;
    const step = niceStep(TICK_PIXELS / Math.max(0.001, at(first + 1) - at(first)));
    const ticks: HTMLElement[] = [];
    for (let year = Math.ceil(first / step) * step; year <= last; year += step) {
      const left = at(year);
      if (left < 0 || left > this.#ground.clientWidth) continue;
      const tick = html('span', {}, String(year));
      tick.style.left = `${Math.round(left)}px`;
      ticks.push(tick);
    }
    this.#axis.replaceChildren(...ticks);
  }
}

function graphOf({ nodes, edges }: GraphPicture, shown: (edge: PictureEdge) => boolean): MultiDirectedGraph {
  const graph = new MultiDirectedGraph();
  const visible = new Set([0, ...edges.filter(shown).flatMap(({ source, target }) => [source, target])]);
  const most = Math.max(1, ...nodes.map(({ cited }) => cited));
  for (const [at, { label, kind, cited, inCorpus, x, y }] of nodes.entries()) {
    if (!visible.has(at)) continue;
    const tone = at === 0 ? '--bad-fill' : kind !== 'work' ? '--good-fill' : inCorpus ? '--accent-fill' : '--mute-fill';
    const size = LEAST_SIZE + (MOST_SIZE - LEAST_SIZE) * Math.sqrt(cited / most);
    const short = label.length > LABEL_CHARS ? `${label.slice(0, LABEL_CHARS - 1).trimEnd()}…` : label;
    graph.addNode(at, {
      label: short,
      x,
      y,
      size: at === 0 ? Math.max(size, 9) : size,
      tone,
      forceLabel: at === 0,
      zIndex: at === 0 ? 2 : 1,
    });
  }
  for (const [at, edge] of edges.entries()) {
    if (!shown(edge)) continue;
    const own = edge.source === 0 || edge.target === 0;
    graph.addEdgeWithKey(at, edge.source, edge.target, {
      size: own ? 1.5 : 0.7,
      type: edge.kind === 'related' ? 'line' : 'arrow',
      tone: own && edge.kind !== 'related' ? '--accent-fill' : '--line',
      zIndex: own ? 1 : 0,
    });
  }
  return graph;
}

/** The next of 1, 2, 5, 10, 20, 50 … */
function niceStep(atLeast: number): number {
  for (let ten = 1; ; ten *= 10) for (const digit of [1, 2, 5]) if (digit * ten >= atLeast) return digit * ten;
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Beside the node: to the right, and to the left where the drawing ends. */
const drawLabel: NodeLabelDrawingFunction = (context, data, settings) => {
  if (!data.label) return;
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  context.fillStyle = settings.labelColor.color ?? '';
  context.fillText(data.label, labelLeft(context, data), data.y + settings.labelSize / 3);
};

/** The label of what is pointed at, on paper. */
const drawHover: NodeHoverDrawingFunction = (context, data, settings) => {
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  const width = context.measureText(data.label ?? '').width;
  context.fillStyle = colour('--raised');
  context.strokeStyle = colour('--accent');
  context.fillRect(labelLeft(context, data) - 2, data.y - settings.labelSize, width + 4, settings.labelSize * 2);
  context.beginPath();
  context.arc(data.x, data.y, data.size + 2, 0, Math.PI * 2);
  context.stroke();
  drawLabel(context, data, settings);
};

function labelLeft(
  context: CanvasRenderingContext2D,
  { x, size, label }: { readonly x: number; readonly size: number; readonly label?: string | null },
): number {
  const [width, gap] = [context.measureText(label ?? '').width, size + 3];
  const room = context.canvas.clientWidth;
  return x + gap + width > room && x - gap - width > 0 ? x - gap - width : x + gap;
}
