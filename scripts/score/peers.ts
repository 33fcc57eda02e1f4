import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { measureCommand } from '../../bench/kit.ts';
import { locate } from '../../test/support/programs.ts';

/** Another program that reads PDFs, in the setting that keeps most structure. */
export interface Peer {
  readonly name: string;
  /** Its package on npm, with the version that is compared; undefined if it is a program of the system. */
  readonly installs?: string;
  /** The program of the system that it needs. */
  readonly needs?: string;
  /** What it writes: `.md` or `.txt`. */
  readonly extension: string;
  /** Writes ID.md or ID.txt for each PDF into a folder. A file that it cannot read has none. */
  readonly read: (files: readonly string[], out: string, load: Load) => Promise<void>;
}

/** Loads a module of a package that is installed apart from ours. */
type Load = <T>(name: string) => Promise<T>;

const PEERS: readonly Peer[] = [
  {
    name: 'liteparse',
    installs: '@llamaindex/liteparse@2.14.7',
    extension: '.md',
    read: async (files, out, load) => {
      const { LiteParse } = await load<{
        readonly LiteParse: new (options: object) => { parse: (file: string) => Promise<{ readonly text: string }> };
      }>('@llamaindex/liteparse');
      // All papers have text; without this, figures with little of it are sent to OCR.
      const parser = new LiteParse({ outputFormat: 'markdown', imageMode: 'off', ocrEnabled: false });
      await each(files, out, '.md', async (file) => (await parser.parse(file)).text);
    },
  },
  {
    name: 'pdf-inspector',
    installs: '@firecrawl/pdf-inspector@1.25.1',
    extension: '.md',
    read: async (files, out, load) => {
      const { processPdf } = await load<{
        readonly processPdf: (bytes: Uint8Array) => { readonly markdown?: string };
      }>('@firecrawl/pdf-inspector');
      await each(files, out, '.md', (file) => processPdf(readFileSync(file)).markdown ?? '');
    },
  },
  {
    name: 'opendataloader',
    installs: '@opendataloader/pdf@2.5.11',
    needs: 'java',
    extension: '.md',
    read: async (files, out, load) => {
      const { convert } = await load<{
        readonly convert: (files: readonly string[], options: object) => Promise<unknown>;
      }>('@opendataloader/pdf');
      await convert(files, {
        outputDir: out,
        format: 'markdown',
        imageOutput: 'off',
        tableMethod: 'cluster',
        quiet: true,
      });
    },
  },
  {
    name: 'pdftotext',
    needs: 'pdftotext',
    extension: '.txt',
    read: async (files, out) => {
      const program = locate(['pdftotext']) ?? 'pdftotext';
      await each(files, out, '.txt', (file) =>
        execFileSync(program, ['-enc', 'UTF-8', file, '-'], { encoding: 'utf8', maxBuffer: 1 << 28 }),
      );
    },
  },
];

/** Installs the packages of the peers in a folder of their own; which of them can be compared here, and why others not. */
export function installPeers(folder: string): { readonly peers: readonly Peer[]; readonly absent: readonly string[] } {
  const wanted = PEERS.flatMap(({ installs }) => installs ?? []);
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.stringify({
    private: true,
    dependencies: Object.fromEntries(wanted.map((each) => splitAt(each))),
  });
  const file = join(folder, 'package.json');
  if (!existsSync(file) || readFileSync(file, 'utf8') !== manifest) {
    writeFileSync(file, manifest);
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
  }
  const missing = PEERS.filter(({ needs }) => needs !== undefined && locate([needs]) === undefined);
  return {
    peers: PEERS.filter((each) => !missing.includes(each)),
    absent: missing.map(({ name, needs }) => `${name} (no ${needs} here)`),
  };
}

/** Reads PDFs with a peer, in a process of its own; how many CPU seconds that took, starting included. */
export async function readWith(
  { name }: Peer,
  files: readonly string[],
  folder: string,
  out: string,
): Promise<{ readonly cpuSeconds: number }> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  return await measureCommand(process.execPath, [import.meta.filename, name, folder, out, ...files]);
}

const outputOf = (file: string, out: string, extension: string): string =>
  join(out, basename(file, '.pdf') + extension);

async function each(
  files: readonly string[],
  out: string,
  extension: string,
  read: (file: string) => string | Promise<string>,
): Promise<void> {
  for (const file of files) writeFileSync(outputOf(file, out, extension), await read(file));
}

function splitAt(installs: string): readonly [name: string, version: string] {
  const at = installs.lastIndexOf('@');
  return [installs.slice(0, at), installs.slice(at + 1)];
}

if (import.meta.main) {
  const [name, folder = '', out = '', ...files] = process.argv.slice(2);
  const load: Load = async (module) => {
    const entry = createRequire(join(folder, 'package.json')).resolve(module);
    return await import(pathToFileURL(entry).href);
  };
  await PEERS.find((peer) => peer.name === name)?.read(files, out, load);
}
