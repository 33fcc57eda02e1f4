import { existsSync } from 'node:fs';
import { mkdir, mkdtempDisposable, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

import { isProgram, locate } from './programs.ts';

/** A browser that is closed when it is disposed of. */
export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

/** Where Chromium is looked for besides the PATH. */
const PLACES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`],
};
/** What takes longer hangs; a browser on a busy machine may take a minute for anything. */
export const HANGING_MS = 240_000;
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
// Without its sandbox it also starts as root and in a container; it is only shown pages of ours.
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];

/** Why a test is skipped where no browser starts. */
export const NO_BROWSER =
  'no Chromium starts here: npm brings one for Linux x64 only, and none is installed (Debian: chromium)';

/** The platform for which the package @sparticuz/chromium carries a browser. */
const CARRIED = { platform: 'linux', arch: 'x64' };

/**
 * A headless Chromium: the one that npm installs, so that everybody tests with the same, else the system's. Undefined
 * where there is neither, or it does not start, which is reported.
 */
export async function openBrowser(): Promise<OpenBrowser | undefined> {
  if (process.platform === CARRIED.platform && process.arch === CARRIED.arch) return carried();
  const own = systemChromium();
  if (own === undefined) return undefined;
  const browser = await chromium.launch({ executablePath: own, args: ARGUMENTS, timeout: HANGING_MS });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}

/** Where the carried Chromium is unpacked, once for all tests of an installation. */
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache');

async function carried(): Promise<OpenBrowser | undefined> {
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    const folder = await unpacked();
    const env = {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    };
    const executablePath = join(folder, 'chromium');
    // If several processes are not allowed, it is started as its package does on the smallest machines.
    const browser = await chromium
      .launch({ executablePath, env, args: ARGUMENTS, timeout: HANGING_MS })
      .catch(() => chromium.launch({ executablePath, env, args: [...packed.args, ...ARGUMENTS], timeout: HANGING_MS }));
    return { browser, [Symbol.asyncDispose]: () => browser.close() };
  } catch (error) {
    console.error('the Chromium of @sparticuz/chromium does not start here:', error);
    return undefined;
  }
}

/** The folder of the carried Chromium with the libraries and fonts it needs. Tests run beside each other: the first wins. */
async function unpacked(): Promise<string> {
  const entry = fileURLToPath(import.meta.resolve('@sparticuz/chromium'));
  const { version } = JSON.parse(await readFile(join(dirname(entry), '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  await using made = await mkdtempDisposable(`${folder}-`);
  const before = process.env['TMPDIR'];
  // The package unpacks to the folder for temporary files.
  process.env['TMPDIR'] = made.path;
  try {
    const { default: packed, inflate } = await import('@sparticuz/chromium');
    await packed.executablePath();
    await inflate(join(dirname(entry), '..', 'bin', 'al2023.tar.br'));
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  // The one that comes with it looks for the fonts in /tmp. Only these are used, not the system's.
  await writeFile(
    join(made.path, 'fonts', 'fonts.conf'),
    `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>\n`,
  );
  await rename(made.path, folder).catch((error: unknown) => {
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

function systemChromium(): string | undefined {
  return locate(NAMES) ?? PLACES[process.platform]?.find(isProgram);
}
