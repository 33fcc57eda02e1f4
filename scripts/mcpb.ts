// Makes docstokg-VERSION.mcpb, the package with all it needs in one file that assistants install: `npm run mcpb`.
// `npm run mcpb -- FILE.tgz` takes a package that is packed already.
import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { McpbManifestAny } from '@anthropic-ai/mcpb/browser';

import { QUESTIONS } from '../src/questions/index.ts';

const ROOT = join(import.meta.dirname, '..');

/** Where the program lies in the bundle. */
const PROGRAM = 'node_modules/docstokg/bin/docstokg';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly license: string;
  readonly homepage: string;
  readonly keywords: string[];
  readonly engines: { readonly node: string };
  readonly bugs: { readonly url: string };
  readonly repository: { readonly type: string; readonly url: string };
}

/** The manifest of the bundle: how it is started, its tools, and the folders that a user chooses. */
export function bundleManifest(): McpbManifestAny {
  const text = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
  const { name, version, author, license, homepage, keywords, engines, bugs, repository } = text(
    'package.json',
  ) as Package;
  const { title, description } = text('server.json') as { readonly title: string; readonly description: string };
  return {
    // 0.4 adds only Python's uv, and fewer programs read it.
    manifest_version: '0.3',
    name,
    display_name: title,
    version,
    description,
    author: { name: author },
    license,
    homepage,
    documentation: `${homepage}guides/asking-from-an-assistant`,
    support: bugs.url,
    repository: { type: repository.type, url: repository.url.replace(/^git\+/, '') },
    keywords,
    server: {
      type: 'node',
      entry_point: PROGRAM,
      mcp_config: { command: 'node', args: [`\${__dirname}/${PROGRAM}`, 'mcp', '${user_config.corpora}'] },
    },
    tools: QUESTIONS.map((each) => ({ name: each.name, description: each.title })),
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
    user_config: {
      corpora: {
        type: 'directory',
        title: 'Corpora',
        description: 'Run folders, such as runs/coral-bleaching: what docstokg run made.',
        multiple: true,
        required: true,
      },
    },
  };
}

if (import.meta.main) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'docstokg-mcpb-'));
  const { name, version } = bundleManifest();
  const npm = (...parameters: readonly string[]): void => {
    execFileSync('npm', parameters, {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
  };
  const [packed] = process.argv.slice(2);
  if (packed === undefined) npm('pack', '--pack-destination', folder.path);
  const staged = join(folder.path, 'bundle');
  const [flags, file] = ['--omit=dev --no-audit --no-fund', packed ?? join(folder.path, `${name}-${version}.tgz`)];
  npm('install', '--prefix', staged, ...flags.split(' '), resolve(file));
  writeFileSync(join(staged, 'manifest.json'), JSON.stringify(bundleManifest(), null, 2));
  const bundle = join(ROOT, `${name}-${version}.mcpb`);
  npm('exec', '--', 'mcpb', 'pack', staged, bundle);
  console.log(`${bundle}: ${(statSync(bundle).size / 1e6).toFixed(0)} MB`);
}
