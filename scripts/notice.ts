// Writes NOTICE: what the package contains of others, and what npm installs beside it, with licences: `npm run notice`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { BUNDLED } from '../src/serve/page-bundle.ts';

const ROOT = join(import.meta.dirname, '..');

/** A package of the lock file. */
interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** Where package.json of a package names no licence: what its licence file says, read by hand. */
const UNSTATED: Readonly<Record<string, string>> = { 'png-js': 'MIT' };

/** What is inside the published package, and was made by others. */
const INSIDE = [
  ...BUNDLED.map((name) => ({ name, where: 'dist/src/serve/page.js, and reports', text: licenceFile(name) })),
  { name: 'gpt-tokenizer', where: 'dist/src/parse/chunk/encodings', text: licenceFile('gpt-tokenizer') },
  {
    name: 'onnxruntime-web',
    where: 'dist/src/parse/embed/engines/onnxruntime-web',
    text: `MIT License. Copyright (c) Microsoft Corporation.
Its WebAssembly contains other software, listed in https://github.com/microsoft/onnxruntime/blob/main/ThirdPartyNotices.txt`,
  },
  {
    name: 'all-MiniLM-L6-v2',
    where: 'models/*.onnx (its graph), models/tokenizer.json and models/*.safetensors (weights trained from it)',
    text: `Apache License 2.0. https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
models/*.md name the data that these weights were trained on, with licences.`,
  },
];

/** What a user may add; nothing of it is in the package. */
const ADDED = [
  'onnxruntime-node (MIT): native code for the models',
  'tesseract.js-core (Apache-2.0): OCR as WebAssembly',
  '@tesseract.js-data/* (MIT; the data in it Apache-2.0): OCR data, one package per language',
];

function licenceFile(name: string): string {
  const folder = join(ROOT, 'node_modules', name);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return readFileSync(join(folder, file), 'utf8').trim();
}

/** The packages that npm installs with ours, by licence. */
export function installedByLicence(): ReadonlyMap<string, readonly string[]> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const found = new Map<string, Set<string>>();
  for (const [path, { license, dev, devOptional, link }] of Object.entries(packages)) {
    const name = path.split('node_modules/').at(-1) ?? '';
    // Node itself comes with a clone only; `sim` and `bench` are folders of the repository.
    if (!path.startsWith('node_modules/') || dev || devOptional || link || name.startsWith('node-')) continue;
    const licence = license ?? UNSTATED[name];
    if (licence === undefined) throw new Error(`${name} names no licence: read it, and name it in scripts/notice.ts`);
    found.set(licence, (found.get(licence) ?? new Set()).add(name));
  }
  return new Map(
    [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([licence, names]) => [licence, [...names].sort()]),
  );
}

/** The text of NOTICE. */
export function noticeText(): string {
  const inside = INSIDE.map(({ name, where, text }) => `${name}\n  in ${where}\n\n${indent(text)}\n`);
  const beside = [...installedByLicence()].map(([licence, names]) => `${licence}: ${names.join(', ')}`);
  return `DocsToKG
Copyright (c) 2026 The DocsToKG authors. MIT License, see LICENSE.
This file is written by \`npm run notice\`.

== In this package ==

${inside.join('\n')}
== Installed beside it by npm, each with its own licence file ==

${beside.join('\n')}

The font of the papers of the simulated web is @fontsource/gentium-book-plus (SIL Open Font License).

== Added by you, if you want it ==

${ADDED.join('\n')}
`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}

if (import.meta.main) {
  if (!existsSync(join(ROOT, 'node_modules'))) throw new Error('run npm ci first');
  writeFileSync(join(ROOT, 'NOTICE'), noticeText());
}
