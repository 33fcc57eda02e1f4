import { GraphCanvas } from '../../src/report/page/graph/canvas.ts';

/** A picture of as many nodes and edges as said, spread over years, drawn as the report draws one. */
function pictureOf(nodes, edges) {
  let state = 7;
  const next = (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return {
    nodes: Array.from({ length: nodes }, (_, at) => ({
      id: `work:${at}`,
      kind: 'work',
      label: `Author ${at} 2001 · A title of some length`,
      year: 1980 + next(45),
      cited: next(100),
      inCorpus: at % 3 === 0,
      x: next(10_000),
      y: next(6_000),
    })),
    edges: Array.from({ length: edges }, () => ({
      source: next(nodes),
      target: next(nodes),
      kind: 'cites',
      evidence: [],
    })),
    leftOut: {},
  };
}

/** Frames per second while the view moves for some seconds, and who draws. */
async function framesPerSecond(nodes, edges, seconds) {
  const canvas = new GraphCanvas({ node: () => undefined, edge: () => undefined });
  canvas.element.className = 'canvas';
  document.body.append(canvas.element);
  canvas.draw(pictureOf(nodes, edges), () => true);
  const context = document.createElement('canvas').getContext('webgl');
  const told = context?.getExtension('WEBGL_debug_renderer_info');
  const renderer = String(context && told ? context.getParameter(told.UNMASKED_RENDERER_WEBGL) : 'unknown');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  for (let warm = 0; warm < 10; warm += 1) await frame();
  const start = performance.now();
  let frames = 0;
  while (performance.now() - start < seconds * 1000) {
    const turn = frames / 20;
    canvas.pan(Math.cos(turn) * 0.01, Math.sin(turn) * 0.01);
    await frame();
    frames += 1;
  }
  const fps = frames / ((performance.now() - start) / 1000);
  // Choosing a node draws everything anew: what every frame would cost if no still were moved.
  const redrawing = performance.now();
  let redrawn = 0;
  while (performance.now() - redrawing < (seconds * 1000) / 2) {
    canvas.choose(redrawn);
    await frame();
    redrawn += 1;
  }
  const redrawnFps = redrawn / ((performance.now() - redrawing) / 1000);
  return { fps, redrawnFps, renderer };
}

Object.assign(globalThis, { framesPerSecond });
