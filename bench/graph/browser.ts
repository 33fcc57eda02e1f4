import { join } from 'node:path';

import { build } from 'esbuild';

import { STYLE } from '../../src/report/style.ts';
import { openBrowser } from '../../test/support/browser.ts';

/** How fast a browser moves a graph, how fast it draws one anew at every frame, and who draws; undefined where there is no browser. */
export async function drawnFrames(
  nodes: number,
  edges: number,
): Promise<{ readonly fps: number; readonly redrawnFps: number; readonly renderer: string } | undefined> {
  await using opened = await openBrowser();
  if (!opened) return undefined;
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'drawn.js')],
    bundle: true,
    write: false,
    format: 'iife',
    minify: true,
  });
  const page = await opened.browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.setContent(`<!doctype html><style>${STYLE}</style><body></body>`);
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  return await page.evaluate<{ fps: number; redrawnFps: number; renderer: string }>(
    `framesPerSecond(${nodes}, ${edges}, 4)`,
  );
}
