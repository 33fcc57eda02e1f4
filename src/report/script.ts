import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';

import { AppError } from '../base/index.ts';

/**
 * The page's script is written as modules under page/, and takes the terms of search from parse/terms. Here they become
 * one text: every module once, those it imports before it, without the lines that join them. All share one scope, so a
 * name may occur only once; the block around them makes a second one a syntax error. From source the types are taken
 * out first; a build has done that already.
 */
export async function pageScript(): Promise<string> {
  const fromSource = import.meta.url.endsWith('.ts');
  const modules = new Map<string, string>();
  await collect(join(import.meta.dirname, 'page', fromSource ? 'main.ts' : 'main.js'), modules);
  const texts = fromSource ? await withoutTypes([...modules.values()]) : [...modules.values()];
  return `'use strict';\n{\n${texts.map(standAlone).join('\n')}\n}\n`;
}

const JOINT = /^(?:import|export)\s(?!type\b)[^;'"]{0,1000}?from\s+['"](\.[^'"]+)['"];?/gm;

async function collect(path: string, modules: Map<string, string>): Promise<void> {
  if (modules.has(path)) return;
  if (!existsSync(path))
    throw new AppError('REPORT_PART_MISSING', `${path} is missing`, { hint: 'install docstokg again' });
  const text = await readFile(path, 'utf8');
  // Holds its place, so that two modules may import each other's types.
  modules.set(path, '');
  for (const [, specifier = ''] of text.matchAll(JOINT)) await collect(resolve(dirname(path), specifier), modules);
  // A Map keeps the order of first insertion: what was imported must come first.
  modules.delete(path);
  modules.set(path, text);
}

function standAlone(text: string): string {
  return text
    .replaceAll(JOINT, '')
    .replaceAll(/^export (?=(?:async )?function|const|let|class)/gm, '')
    .replaceAll(/^export \{\s*\};?$/gm, '')
    .replaceAll(/(?<![ \t])[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const STRIPPER = `
const { stripTypeScriptTypes } = require('node:module');
const { parentPort, workerData } = require('node:worker_threads');
parentPort.postMessage(workerData.map((text) => stripTypeScriptTypes(text)));`;

/** In a thread of its own: Node warns on stderr that this function is young, and only a thread can be told not to. */
function withoutTypes(texts: readonly string[]): Promise<string[]> {
  return new Promise((done, failed) => {
    const worker = new Worker(STRIPPER, {
      eval: true,
      workerData: texts,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    worker.once('message', done);
    worker.once('error', failed);
  });
}
