import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { LogCursor, LogPiece } from './log-lines.ts';
import { readLines } from './log-lines.ts';

/** The logs of a corpus: of works, of what is known and decided, of files in a store, of hosts, and of the stages. */
export type LogName = 'manifest' | 'records' | 'decisions' | 'objects' | 'hosts' | StageLog;

/** The rows of a stage, one for each document that it finished, skipped or failed at. */
export type StageLog = 'doctags' | 'chunk' | 'embed';

/** A log as a file. */
export interface LogFile {
  /** Of the file, without its folder. */
  readonly name: string;
  readonly log: LogName;
  readonly path: string;
}

/** The name of each log's file. The manifest may also have rotated files, `manifest.NNNN.jsonl`. */
const FILES: Readonly<Record<LogName, string>> = {
  manifest: 'manifest.jsonl',
  records: 'records.jsonl',
  decisions: 'decisions.jsonl',
  objects: 'objects.jsonl',
  hosts: 'hosts.jsonl',
  doctags: 'docparse.doctags.manifest.jsonl',
  chunk: 'docparse.chunk.manifest.jsonl',
  embed: 'docparse.embed.manifest.jsonl',
};

const LOGS = Object.keys(FILES) as readonly LogName[];
const STAGES: ReadonlySet<string> = new Set<StageLog>(['doctags', 'chunk', 'embed']);
const ROTATED = /^manifest\.\d{4}\.jsonl$/;

/** The log files of a corpus folder; those of the stages are in a folder of their own. */
export class LogFolder {
  readonly path: string;
  readonly #manifests: string;

  /** `manifests` is `Data/Manifests` in the folder by default. */
  constructor(path: string, manifests: string = join(path, 'Data', 'Manifests')) {
    this.path = path;
    this.#manifests = manifests;
  }

  /** The existing files, in the order in which they are read. */
  files(): LogFile[] {
    const rotated = rotatedNames(this.path).map((name) => this.named(name));
    return [...rotated, ...LOGS.map((log) => this.of(log))].filter(({ path }) => existsSync(path));
  }

  /** The file that lines of a log are appended to. */
  of(log: LogName): LogFile {
    const name = FILES[log];
    return { name, log, path: join(STAGES.has(log) ? this.#manifests : this.path, name) };
  }

  /** A file by its name. */
  named(name: string): LogFile {
    const log = LOGS.find((each) => FILES[each] === name);
    return log ? this.of(log) : { name, log: 'manifest', path: join(this.path, name) };
  }

  /** Complete lines of a file after a position, about `maxBytes` of them; undefined if the file is another one. */
  read({ path }: LogFile, after: LogCursor, maxBytes: number): LogPiece | undefined {
    return readLines(path, after, maxBytes);
  }

  /** The bytes of the file that lines of a log are appended to. */
  size(log: LogName): number {
    return statSync(this.of(log).path, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/** The names of a folder's manifests, oldest first. */
export function manifestNames(folder: string): string[] {
  return [...rotatedNames(folder), FILES.manifest].filter((name) => existsSync(join(folder, name)));
}

function rotatedNames(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => ROTATED.test(name))
        .sort()
    : [];
}
