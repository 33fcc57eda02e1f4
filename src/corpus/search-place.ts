import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { FileFormat } from '../parse/index.ts';
import { chunkOutput } from '../parse/index.ts';
import { hasIndex } from '../store/index.ts';

/** Where passages are kept and their index lies. */
export interface SearchPlace {
  /** The run folder, or what holds the data folder. */
  readonly folder: string;
  readonly dataRoot: string;
  readonly index: string;
  /** In what format the stages have written; undefined when there is only an index. */
  readonly format: FileFormat | undefined;
}

/** A run folder keeps its data in `Data` and its index in `Index`. */
function placeIn(folder: string, config: Config, dataRoot = join(folder, 'Data')): SearchPlace | undefined {
  const formats: readonly FileFormat[] = config.parse.format === 'jsonl' ? ['jsonl', 'parquet'] : ['parquet', 'jsonl'];
  const format = formats.find((each) => hasAny(dirname(chunkOutput(dataRoot, 'any', each)), each));
  const index = join(folder, 'Index');
  if (!format && !hasIndex(folder)) return undefined;
  return { folder, dataRoot, index, format };
}

/** What can be searched in a corpus folder whose settings are known. */
export function searchPlaceIn(folder: string, config: Config): SearchPlace {
  const place = placeIn(folder, config, config.parse.data_root);
  if (place) return place;
  throw nothing(existsSync(folder) ? `no passages in ${folder}` : `folder not found: ${folder}`);
}

/**
 * What is searched: the folder that is named; else the newest of the runs, which are beside each other; else what
 * `docparse` alone has written.
 */
export function findSearchPlace(config: Config, named: string | undefined): SearchPlace {
  if (named !== undefined) {
    const place = placeIn(named, config) ?? placeIn(dirname(resolve(named)), config, named);
    if (place) return place;
    throw nothing(existsSync(named) ? `no passages in ${named}` : `folder not found: ${named}`);
  }
  const runs = dirname(config.download.out);
  const places = (existsSync(runs) ? readdirSync(runs) : [])
    .map((name) => placeIn(join(runs, name), config))
    .filter((place) => place !== undefined)
    .sort((a, b) => writtenAt(b) - writtenAt(a));
  const alone = placeIn(dirname(config.parse.data_root), config, config.parse.data_root);
  const [place = alone] = places;
  if (place) return place;
  throw nothing(`no passages in ${runs} or ${config.parse.data_root}`);
}

function nothing(message: string): AppError {
  return new AppError('SEARCH_NOTHING', message, {
    hint: 'create some with docstokg run or docparse parse, or name their folder',
  });
}

function writtenAt({ dataRoot, index, format }: SearchPlace): number {
  const path = format ? dirname(chunkOutput(dataRoot, 'any', format)) : index;
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function hasAny(folder: string, format: FileFormat): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(`.${format}`));
}

/** Where the parts of a corpus folder are, whether there is anything to search in it or not. */
export function placeOf(folder: string, config: Config): SearchPlace {
  const dataRoot = config.parse.data_root;
  return placeIn(folder, config, dataRoot) ?? { folder, dataRoot, index: join(folder, 'Index'), format: undefined };
}
