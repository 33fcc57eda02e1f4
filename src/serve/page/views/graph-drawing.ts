import { useEffect, useRef, useState } from 'preact/hooks';

import type { GraphPicture, PictureEdge, PictureNode } from '../../../graph/picture/index.ts';
import { yearScale } from '../../../graph/picture/index.ts';
import type { View } from '../scene.ts';
import { button, html } from '../scene.ts';

const LABEL_CHARS = 34;
/** Average width of a character at 12 pixels. */
const [CHAR_PIXELS, LINE_PIXELS] = [6.3, 15];
const [LEAST_RADIUS, MOST_RADIUS] = [3, 13];
const [MARGIN, AXIS] = [28, 26];
/** Minimum distance between year labels. */
const TICK_PIXELS = 70;

export function isBareId({ kind, label }: PictureNode): boolean {
  return kind === 'work' && /^(?:openalex|doi|pmid|pmcid|arxiv):/.test(label);
}

/** The visible part of the drawing: zoom factor, and centre as fractions of the size. */
interface Camera {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}
const ALL: Camera = { zoom: 1, x: 0.5, y: 0.5 };
type Size = readonly [width: number, height: number];

/** Years run from left to right; works cited more often are larger. The lists have the same data. */
export function GraphDrawing(props: {
  readonly picture: GraphPicture;
  readonly edges: readonly (PictureEdge & { readonly at: number })[];
  readonly chosen: number | undefined;
  readonly pick: (node: number) => void;
  readonly pickEdge: (edge: number) => void;
}): View {
  const { picture, edges, chosen, pick, pickEdge } = props;
  const ground = useRef<SVGSVGElement>(null);
  const [[width, height], setSize] = useState<Size>([800, 560]);
  const [camera, setCamera] = useState(ALL);
  const [hovered, setHovered] = useState<number>();
  const drag = useRef<{ readonly x: number; readonly y: number; readonly from: Camera } | undefined>(undefined);
  useEffect(() => {
    const observer = new ResizeObserver(
      ([entry]) => entry && setSize([entry.contentRect.width, entry.contentRect.height]),
    );
    if (ground.current) observer.observe(ground.current);
    return () => observer.disconnect();
  }, []);
  const { nodes } = picture;
  const visible = new Set([0, ...edges.flatMap(({ source, target }) => [source, target])]);
  const drawn = nodes.map((node, at) => ({ node, at })).filter(({ at }) => visible.has(at));
  const [x, y] = axes(
    drawn.map(({ node }) => node),
    [width, height - AXIS],
    camera,
  );
  const most = Math.max(1, ...nodes.map(({ cited }) => cited));
  const radius = ({ cited }: PictureNode, at: number): number =>
    Math.max(at === 0 ? 8 : 0, LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) * Math.sqrt(cited / most));
  const focus = hovered ?? chosen;
  const zoom = (by: number): void => setCamera((now) => ({ ...now, zoom: Math.min(20, Math.max(1, now.zoom * by)) }));
  const move = (event: PointerEvent): void => {
    if (!drag.current) return;
    const { from } = drag.current;
    const share = (by: number, of: number): number => by / (of * from.zoom);
    setCamera({
      ...from,
      x: from.x - share(event.clientX - drag.current.x, width),
      y: from.y - share(event.clientY - drag.current.y, height),
    });
  };
  const wheel = (event: WheelEvent): void => {
    // The wheel scrolls the page as usual; Ctrl + wheel zooms.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.25 : 0.8);
  };
  const labels = labelsOf(
    drawn.map(({ node, at }) => ({
      at,
      text: isBareId(node) ? '' : node.label,
      x: x(node),
      y: y(node),
      radius: radius(node, at),
      weight: at === focus ? Infinity : at === 0 ? 1e9 : node.cited,
    })),
    [width, height - AXIS],
  );
  return html`<div class="canvas">
    <div class="steps">
      ${button('+', () => zoom(1.5), { 'aria-label': 'Zoom in' })}
      ${button('−', () => zoom(1 / 1.5), { 'aria-label': 'Zoom out' })}
      ${button('All', () => setCamera(ALL), { 'aria-label': 'Show all' })}
    </div>
    <svg
      ref=${ground}
      role="img"
      aria-label=${`Drawing: ${nodes[0]?.label ?? ''} and its neighbourhood, by year`}
      onPointerDown=${(event: PointerEvent) => (drag.current = { x: event.clientX, y: event.clientY, from: camera })}
      onPointerMove=${move}
      onPointerUp=${() => (drag.current = undefined)}
      onPointerLeave=${() => (drag.current = undefined)}
      onWheel=${wheel}
    >
      ${edges.map((edge) => {
        const [from, to] = [nodes[edge.source], nodes[edge.target]];
        if (!from || !to) return undefined;
        const isOwn = edge.source === 0 || edge.target === 0;
        const isLit = focus !== undefined && (edge.source === focus || edge.target === focus);
        const tone = isLit ? 'lit' : isOwn && edge.kind !== 'related' ? 'own' : '';
        return html`<line
          key=${edge.at}
          class=${`edge ${tone}`}
          x1=${x(from)}
          y1=${y(from)}
          x2=${x(to)}
          y2=${y(to)}
          onClick=${() => pickEdge(edge.at)}
        />`;
      })}
      ${drawn.map(({ node, at }) => {
        const tone =
          at === 0 ? 'tone-bad' : node.kind !== 'work' ? 'tone-good' : node.inCorpus ? 'tone-accent' : 'tone-mute';
        return html`<circle
          key=${at}
          class=${`node fill ${tone} ${at === focus ? 'lit' : ''}`}
          cx=${x(node)}
          cy=${y(node)}
          r=${radius(node, at)}
          onMouseEnter=${() => setHovered(at)}
          onMouseLeave=${() => setHovered(undefined)}
          onClick=${() => pick(at)}
        >
          <title>${node.label}</title>
        </circle>`;
      })}
      ${labels.map(({ at, text, left, y: line }) => html`<text key=${at} class=${at === focus ? 'lit' : ''} x=${left} y=${line + 4}>${text}</text>`)}
      ${years(nodes, (year) => x({ x: year } as PictureNode), width).map(
        ([year, left]) => html`<text key=${`year ${year}`} class="year" x=${left} y=${height - 8}>${year}</text>`,
      )}
    </svg>
  </div>`;
}

function axes(nodes: readonly PictureNode[], [width, height]: Size, camera: Camera) {
  const axis = (of: (node: PictureNode) => number, room: number, middle: number) => {
    const [least, most] = [Math.min(...nodes.map(of)), Math.max(...nodes.map(of))];
    const share = (value: number): number => (most === least ? 0.5 : (value - least) / (most - least));
    return (node: PictureNode): number => room / 2 + (share(of(node)) - middle) * camera.zoom * (room - 2 * MARGIN);
  };
  return [axis((node) => node.x, width, camera.x), axis((node) => -node.y, height, camera.y)] as const;
}

/** Places labels left or right of their nodes, heaviest nodes first; omits labels that would overlap. */
function labelsOf(
  nodes: readonly (Readonly<Record<'at' | 'x' | 'y' | 'radius' | 'weight', number>> & { readonly text: string })[],
  [width, height]: Size,
) {
  const taken: { readonly left: number; readonly right: number; readonly y: number }[] = [];
  return nodes
    .toSorted((a, b) => b.weight - a.weight)
    .flatMap(({ at, text, x, y, radius }) => {
      const short = text.length > LABEL_CHARS ? `${text.slice(0, LABEL_CHARS - 1).trimEnd()}…` : text;
      const long = short.length * CHAR_PIXELS;
      const place = [x + radius + 3, x - radius - 3 - long].find(
        (left) =>
          left >= 0 && left + long <= width && y > 0 && y < height &&
          taken.every((other) => Math.abs(other.y - y) >= LINE_PIXELS || left > other.right || left + long < other.left) &&
          nodes.every((other) => other.at === at || Math.abs(other.y - y) >= other.radius + 5 || other.x + other.radius < left || other.x - other.radius > left + long),
      ); // prettier-ignore
      if (place === undefined || short === '') return [];
      taken.push({ left: place, right: place + long, y });
      return [{ at, text: short, left: place, y }];
    });
}

function years(nodes: readonly PictureNode[], x: (place: number) => number, width: number) {
  const scale = yearScale(nodes);
  if (!scale) return [];
  const all = nodes.flatMap(({ kind, year }) => (kind === 'work' && year !== null ? [year] : []));
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const least = TICK_PIXELS / Math.max(0.001, x(scale(first + 1)) - x(scale(first)));
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((each) => each >= least) ?? 1_000;
  const from = Math.ceil(first / step) * step;
  return Array.from({ length: Math.floor((last - from) / step) + 1 }, (_, at) => from + at * step)
    .map((year) => [year, x(scale(year))] as const)
    .filter(([, left]) => left > 0 && left < width);
}
