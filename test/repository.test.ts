import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { test } from 'node:test';

import { getMcpConfigForManifest, v0_3 } from '@anthropic-ai/mcpb/browser';
import { parse as parseYaml } from 'yaml';

import { bundleManifest } from '../scripts/mcpb.ts';
import { installedByLicence, noticeText } from '../scripts/notice.ts';
import { notesOf } from '../scripts/release-check.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly homepage: string;
  readonly bugs: { readonly url: string };
  readonly repository: { readonly url: string };
};
/** github.com/OWNER/NAME, as package.json has it. */
const repository = /^git\+https:\/\/(github\.com\/[\w-]+\/[\w.-]+)\.git$/.exec(manifest.repository.url)?.[1] ?? '';
const [, owner = '', name = ''] = repository.split('/');

test('every place names the repository and the site of package.json', () => {
  assert.equal(manifest.bugs.url, `https://${repository}/issues`);
  assert.equal(manifest.homepage, `https://${owner}.github.io/${name}/`);
  const files = globSync(
    ['*', '.github/**', 'docs/**/*.md', 'examples/**', 'site/*', 'site/.vitepress/*.*', 'src/**/*.ts', 'scripts/*.ts'],
    { cwd: ROOT, withFileTypes: true },
  ).filter((entry) => entry.isFile());
  let named = 0;
  for (const { parentPath, name: file } of files) {
    const text = readFileSync(join(parentPath, file), 'utf8');
    for (const [found, place = ''] of text.matchAll(
      /(github\.com\/[\w-]*docstokg[\w-]*\/[\w-]+|[\w-]*docstokg[\w-]*\.github\.io\/[\w-]+)/gi,
    )) {
      named += 1;
      const path = join(parentPath, file)
        .slice(ROOT.length + 1)
        .split(sep)
        .join('/');
      assert.ok([repository, `${owner}.github.io/${name}`].includes(place), `${path} names ${found}`);
    }
  }
  assert.ok(named >= 10, `${named}`);
});

test('CITATION.cff has the required fields, and the version and licence of the package', () => {
  const citation = parseYaml(read('CITATION.cff')) as Readonly<Record<string, unknown>>;
  for (const field of ['cff-version', 'message', 'title', 'authors']) assert.ok(citation[field], field);
  assert.deepEqual([citation['version'], citation['license']], [manifest.version, manifest.license]);
  assert.equal(citation['repository-code'], `https://${repository}`);
});

test('server.json describes this version of the package for registries of MCP servers', () => {
  const {
    name: own,
    version,
    repository: place,
    packages,
  } = JSON.parse(read('server.json')) as {
    readonly name: string;
    readonly version: string;
    readonly repository: { readonly url: string };
    readonly packages: readonly { readonly identifier: string; readonly version: string }[];
  };
  const { mcpName } = JSON.parse(read('package.json')) as { readonly mcpName: string };
  assert.deepEqual([own, version, place.url], [mcpName, manifest.version, `https://${repository}`]);
  assert.equal(mcpName, `io.github.${owner}/${manifest.name}`);
  for (const each of packages) assert.deepEqual([each.identifier, each.version], [manifest.name, manifest.version]);
});

test('the bundle for assistants is one by its schema, and starts the program of the package with the folders one chose', async () => {
  const bundle = v0_3.McpbManifestSchema.parse(bundleManifest());
  assert.deepEqual([bundle.name, bundle.version, bundle.license], [manifest.name, manifest.version, manifest.license]);
  const started = await getMcpConfigForManifest({
    manifest: bundle,
    extensionPath: '/bundle',
    systemDirs: {},
    userConfig: { corpora: ['/runs/corals', '/runs/fractures'] },
    pathSeparator: '/',
  });
  const { bin } = JSON.parse(read('package.json')) as { readonly bin: { readonly docstokg: string } };
  const program = `/bundle/node_modules/${manifest.name}/${bin.docstokg}`;
  assert.deepEqual([started?.command, started?.args], ['node', [program, 'mcp', '/runs/corals', '/runs/fractures']]);
  assert.equal(`/bundle/${bundle.server.entry_point}`, program);
});

test('no package that is installed with ours runs a script', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<
      Record<string, { readonly hasInstallScript?: true; readonly dev?: true; readonly devOptional?: true }>
    >;
  };
  const running = Object.entries(packages).filter(
    ([, each]) => each.hasInstallScript && !each.dev && !each.devOptional,
  );
  assert.deepEqual(
    running.map(([path]) => path),
    [],
  );
});

test('NOTICE is what npm run notice writes, and no installed package has a licence that restricts its users', () => {
  assert.equal(read('NOTICE'), noticeText(), 'run npm run notice');
  const permissive = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|OFL-1\.1)$/;
  for (const [licence, names] of installedByLicence()) assert.match(licence, permissive, names.join(', '));
});

test('the changelog begins at 1.0.0, and tells of the version of the package', () => {
  const versions = [...read('CHANGELOG.md').matchAll(/^## (\S+)/gm)].map(([, version]) => version);
  assert.equal(versions.at(-1), '1.0.0');
  assert.equal(versions[0], manifest.version);
});

test('the notes of a release are its section of the changelog; an unreleased one has none', () => {
  const changelog = '# Changes\n\n## 1.1.0\n\n- New.\n\n## 1.0.0\n\nFirst.\n';
  assert.equal(notesOf(changelog, '1.1.0'), '- New.');
  assert.equal(notesOf(changelog, '1.0.0'), 'First.');
  assert.equal(notesOf(changelog.replace('1.1.0', '1.1.0 (unreleased)'), '1.1.0'), undefined);
});

test('workflows, templates and updates are YAML, and workflows name scripts that exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  for (const file of globSync('.github/**/*.yml', { cwd: ROOT })) {
    const text = read(file);
    assert.equal(typeof parseYaml(text), 'object', file);
    for (const [, script = ''] of text.matchAll(/npm run ([\w:-]+)/g)) assert.ok(scripts[script], `${file}: ${script}`);
    for (const [path] of text.matchAll(/\bscripts\/[\w-]+\.ts/g)) assert.ok(read(path), `${file}: ${path}`);
  }
});
