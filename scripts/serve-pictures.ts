// Makes the screenshots of the live page: node scripts/serve-pictures.ts docs/pictures. Downloads from a small
// simulated web while docstokg serve is running, and takes screenshots with Chromium (see test/support/browser.ts).
// Takes a minute or two.
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Admin, Simulation } from '../sim/index.ts';
import { startCommand } from '../test/e2e/started-command.ts';
import { openBrowser } from '../test/support/browser.ts';

const [out] = process.argv.slice(2);
if (out === undefined) {
  console.error('usage: node scripts/serve-pictures.ts OUT_FOLDER');
  process.exit(2);
}
await using opened = await openBrowser();
if (!opened) {
  console.error('there is no Chromium here; install one, such as Debian\'s "chromium"');
  process.exit(1);
}
await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-pictures-'));
const folder = join(scratch.path, 'pack-balancing');
await using simulation = await Simulation.open({
  parameters: { seed: 7, works: 32, hosts: 10, profile: 'calm' },
  timeScale: 1,
});
await using admin = await Admin.open(simulation);
const env = { DOCSTOKG_ORCHESTRATOR__MAX_WORKERS: '2', DOCSTOKG_PARSE__DENSE: 'none', DOCSTOKG_STAGE__WORKERS: '1' };
const ids = [...simulation.world.works()].map(({ id }) => id);
await using run = startCommand('docstokg', ['run', ...ids, '--sim', admin.url, '--out', folder], {
  cwd: scratch.path,
  env,
});
await run.told(/works → \d+ saved/);
await using serve = startCommand('docstokg', ['serve', folder, '--port', '0', '--allow-steering', '--json'], {
  cwd: scratch.path,
});
await serve.told(/serving/);
const { link, url } = JSON.parse(serve.stdout) as { readonly link: string; readonly url: string };
const { origin } = new URL(url);
const context = await opened.browser.newContext({
  viewport: { width: 1000, height: 700 },
  colorScheme: 'light',
  reducedMotion: 'reduce',
});
const page = await context.newPage();
await page.goto(link);

async function photograph(name: string): Promise<void> {
  const picture = await page.screenshot({ type: 'png' });
  const path = join(out as string, `serve-${name}.png`);
  writeFileSync(path, picture);
  console.log(`${path}: ${Math.round(picture.length / 1000)} kB`);
}

/** A trend needs some data points. */
const WATCHED_MS = 12_000;
await page.goto(`${origin}/queue`);
await page.waitForSelector('.trend svg');
await page.waitForTimeout(WATCHED_MS);
await photograph('queue');
await page.goto(`${origin}/now`);
await page.waitForSelector('.events li');
await page.waitForTimeout(WATCHED_MS / 2);
await photograph('now');
await run.ended;
const built = startCommand('docstokg', ['graph', 'build', '--run', folder], { cwd: scratch.path });
await built.ended;
await page.goto(`${origin}/search?q=${encodeURIComponent('how was the calibration of the sensors checked?')}&top=10`);
await page.waitForSelector('.hits li h2');
await photograph('search');
await page.goto(`${origin}/graph`);
await page.waitForSelector('.around li');
await page.waitForTimeout(1_000);
await photograph('graph');
