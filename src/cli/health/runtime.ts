import { spawnSync } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
import { DatabaseSync } from 'node:sqlite';

import { errorInfo } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { locateTesseract, ocrLanguages, openDenseEngineIfInstalled } from '../../parse/index.ts';
import type { Finding } from './finding.ts';

const LEAST_MEMORY = 2e9;

/** Checks the machine and optional components. */
export async function checkRuntime(config: Config): Promise<Finding[]> {
  return [node(), sqlite(), memory(), await model(config), ocr()];
}

function node(): Finding {
  const found = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  return { area: 'runtime', name: 'node', state: 'good', found };
}

function sqlite(): Finding {
  using database = new DatabaseSync(':memory:');
  const row = database.prepare('SELECT sqlite_version() AS version').get();
  return { area: 'runtime', name: 'sqlite', state: 'good', found: `SQLite ${String(row?.['version'])}` };
}

function memory(): Finding {
  const bytes = process.constrainedMemory() || totalmem();
  // An unlimited cgroup reports a huge number.
  const real = Math.min(bytes, totalmem());
  const found = `${(real / 1e9).toFixed(1)} GB of memory, ${availableParallelism()} cores`;
  return real >= LEAST_MEMORY
    ? { area: 'runtime', name: 'memory', state: 'good', found }
    : {
        area: 'runtime',
        name: 'memory',
        state: 'hint',
        found,
        fix: 'run the stages with --workers 1; large papers may not fit',
      };
}

async function model({ parse }: Config): Promise<Finding> {
  const about = { area: 'runtime', name: 'embeddings' } as const;
  if (parse.dense !== 'embedded') return { ...about, state: 'good', found: `dense vectors: ${parse.dense}` };
  try {
    const opened = await openDenseEngineIfInstalled({ engine: 'embedded', precision: parse.precision, threads: 1 });
    if (opened.kind === 'engine') {
      await using engine = opened.engine;
      const found = `${engine.model.name} (${engine.model.precision}), weights verified`;
      return engine.notice === undefined
        ? { ...about, state: 'good', found }
        : { ...about, state: 'hint', found: `${found}; ${engine.notice}`, fix: 'npm install onnxruntime-node@~1.30.0' };
    }
    return {
      ...about,
      state: 'hint',
      found: `${opened.reason.message}: only word search is available`,
      fix: opened.reason.hint ?? 'install the optional packages',
    };
  } catch (error) {
    const { message } = errorInfo(error);
    return {
      ...about,
      state: 'bad',
      found: message,
      fix: 'run npm ci, or set parse.dense: none to search by words only',
    };
  }
}

function ocr(): Finding {
  const about = { area: 'runtime', name: 'ocr' } as const;
  const languages = ocrLanguages();
  if (languages.length > 0) return { ...about, state: 'good', found: `embedded OCR engine: ${languages.join(', ')}` };
  // Same lookup as in worker processes.
  const command = locateTesseract();
  const { status, stdout } =
    command === undefined ? { status: 1, stdout: '' } : spawnSync(command, ['--version'], { encoding: 'utf8' });
  return status === 0
    ? { ...about, state: 'good', found: `${stdout.split('\n')[0] ?? 'tesseract'}, ${command}` }
    : {
        ...about,
        state: 'hint',
        found: 'no OCR engine is installed: scanned pages are reported but not parsed',
        fix: 'npm install tesseract.js-core @tesseract.js-data/eng if your papers are scans',
      };
}
