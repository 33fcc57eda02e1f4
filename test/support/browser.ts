import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

/** A browser that is closed, and whatever was unpacked for it removed, when it is disposed of. */
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

/**
 * A headless Chromium: the system's, else on linux x64 the one that the package @sparticuz/chromium carries, which
 * starts without root on a bare machine. Undefined where there is neither, or it does not start, which is reported.
 */
export async function openBrowser(): Promise<OpenBrowser | undefined> {
  const own = systemChromium();
  if (own !== undefined) {
    const browser = await chromium.launch({ executablePath: own, args: ARGUMENTS, timeout: HANGING_MS });
    return { browser, [Symbol.asyncDispose]: () => browser.close() };
  }
  return process.platform === 'linux' && process.arch === 'x64' ? unpacked() : undefined;
}

/** Unpacks the carried Chromium with the libraries and fonts it needs into a folder of its own: tests run beside each other. */
async function unpacked(): Promise<OpenBrowser | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'docstokg-chromium-'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    const { default: packed, inflate } = await import('@sparticuz/chromium');
    const executablePath = await packed.executablePath();
    const bin = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..', 'bin');
    await inflate(join(bin, 'al2023.tar.br'));
    // The one that comes with it looks for the fonts in /tmp.
    await writeFile(
      join(folder, 'fonts', 'fonts.conf'),
      `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>\n`,
    );
    const env = {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    };
    // If several processes are not allowed, it is started as its package does on the smallest machines.
    const browser = await chromium
      .launch({ executablePath, env, args: ARGUMENTS, timeout: HANGING_MS })
      .catch(() => chromium.launch({ executablePath, env, args: [...packed.args, ...ARGUMENTS], timeout: HANGING_MS }));
    return {
      browser,
      async [Symbol.asyncDispose]() {
        await browser.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    console.error('the Chromium of @sparticuz/chromium does not start here:', error);
    await rm(folder, { recursive: true, force: true });
    return undefined;
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

function systemChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = [
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...(PLACES[process.platform] ?? []),
  ];
  return candidates.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
