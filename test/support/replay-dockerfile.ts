import assert from 'node:assert/strict';
import type { SpawnSyncReturns } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installCommand } from '../../src/base/index.ts';

/** What an installer knows of a package. */
interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

interface Replayed {
  readonly root: string;
  /** What the commands of its RUN lines said. */
  readonly ran: readonly string[];
  /** Starts what a container would, with other parameters at the end. */
  readonly start: (more: readonly string[]) => SpawnSyncReturns<string>;
}

/**
 * Does what a Dockerfile says in an empty folder that stands for the image: its paths lie below it, `npm install` puts the
 * packed package and what it declares beside it without asking a registry, and nobody becomes another user.
 */
export function replayDockerfile(
  file: string,
  given: { readonly context: string; readonly modules: string; readonly manifest: Manifest },
): Replayed {
  const root = mkdtempSync(join(tmpdir(), 'docstokg-image-'));
  const tools = join(root, 'tools');
  mkdirSync(tools);
  writeTool(join(tools, 'npm'), installer(given));
  writeTool(join(tools, 'chown'), 'exit 0');
  const inImage = (text: string): string => text.replaceAll(/(?<![\w./@])\/(opt|data)\b/g, `${root}/$1`);
  let cwd = root;
  let path = `${tools}:${join(given.modules, '.bin')}:/usr/bin:/bin`;
  let entrypoint: string[] = [];
  let words: string[] = [];
  const ran: string[] = [];
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    switch (instruction) {
      case 'FROM':
        assert.match(rest, /^node:24/);
        break;
      case 'WORKDIR':
        cwd = inImage(rest);
        mkdirSync(cwd, { recursive: true });
        break;
      case 'COPY': {
        const [pattern = '', name = ''] = rest.split(' ');
        const [found, ...more] = globSync(pattern, { cwd: given.context });
        assert.ok(found !== undefined && more.length === 0, `${pattern} is one file`);
        copyFileSync(join(given.context, found), join(cwd, name));
        break;
      }
      case 'ENV':
        path = inImage(rest.replace(/^PATH=/, '')).replace('$PATH', path);
        break;
      case 'RUN': {
        const { status, stdout, stderr } = spawnSync('sh', ['-c', inImage(rest)], {
          cwd,
          encoding: 'utf8',
          env: { PATH: path },
        });
        assert.equal(status, 0, `${line}\n${stdout}${stderr}`);
        ran.push(stdout);
        break;
      }
      case 'ENTRYPOINT':
        entrypoint = JSON.parse(rest) as string[];
        break;
      case 'CMD':
        words = JSON.parse(rest) as string[];
        break;
      case 'USER':
      case 'STOPSIGNAL':
        break;
      default:
        assert.fail(`nobody knows how to replay ${line}`);
    }
  }
  const [program = '', ...parameters] = [...entrypoint, ...words];
  return {
    root,
    ran,
    start: (more) => spawnSync(program, [...parameters, ...more], { cwd, encoding: 'utf8', env: { PATH: path } }),
  };
}

function writeTool(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\nset -e\n${script}\n`);
  chmodSync(path, 0o755);
}

/** What `npm install ./docstokg.tgz PEERS…` leaves behind; asking for a peer that the package does not name is an error. */
function installer({ modules, manifest }: { readonly modules: string; readonly manifest: Manifest }): string {
  const { dependencies, optionalDependencies, peerDependencies, bin } = manifest;
  const link = (name: string): string =>
    `mkdir -p "$(dirname node_modules/${name})" && ln -sfn "${modules}/${name}" node_modules/${name}`;
  return [
    'mkdir -p node_modules/docstokg node_modules/.bin',
    'tar -xzf docstokg.tgz -C node_modules/docstokg --strip-components=1',
    ...Object.keys({ ...dependencies, ...optionalDependencies }).map(link),
    'for word in "$@"; do case "$word" in',
    ...Object.keys(peerDependencies).map(
      (name) => `${installCommand([name]).replace('npm install ', '')}) ${link(name)} ;;`,
    ),
    'install|--*|./docstokg.tgz) ;;',
    '*) echo "nobody asks for $word" >&2; exit 1 ;;',
    'esac; done',
    ...Object.entries(bin).map(([name, path]) => `ln -sfn ../docstokg/${path} node_modules/.bin/${name}`),
  ].join('\n');
}
