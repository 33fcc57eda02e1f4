import { existsSync, rmSync } from 'node:fs';
import { link, mkdir, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import type { Clock } from '../base/index.ts';
import {
  AppError,
  partPath,
  sha256,
  syncFolder,
  Batcher,
  describeDiskError,
  replaceFile,
  syncFiles,
  errorInfo,
  hasCode,
} from '../base/index.ts';
import type { Beginning, PartFolder } from './begun-files.ts';
import { BegunFiles, BEGUN_FOLDER, openPartFolder } from './begun-files.ts';
import type { Artifact, ArtifactKind } from './manifest-row.ts';

const FOLDERS: Readonly<Record<ArtifactKind, string>> = { pdf: 'PDF', html: 'HTML', xml: 'XML' };

/** Manifests are read on other systems, so never with backslashes. */
function nameOf(workId: string, kind: ArtifactKind): string {
  return `${FOLDERS[kind]}/${slug(workId)}.${kind}`;
}

interface KeptFilesOptions {
  readonly contentAddressed?: boolean;
  readonly clock?: Clock;
  /** Where else files are; nowhere by default. */
  readonly store?: {
    /** Whether it has a file. */
    has(path: string): boolean;
    /** Fetches a missing file; false if it is not there either. */
    bring(path: string): Promise<boolean>;
  };
}

/** The files of a run: `PDF/ HTML/ XML/` by name, or by hash with readable links. */
export class KeptFiles implements Disposable {
  readonly root: string;
  readonly begun: BegunFiles;
  /** Files that finish together share the sync of their folder. */
  readonly #commits = new Batcher(commitFiles);
  readonly #made = new Set<string>();
  readonly #options: KeptFilesOptions;
  #parts: PartFolder | undefined;

  constructor(root: string, options: KeptFilesOptions = {}) {
    this.root = root;
    this.#options = options;
    this.begun = new BegunFiles(join(root, '.parts', BEGUN_FOLDER));
  }

  /** A path for unverified bytes, with what was already received of the file. */
  async newPart(file?: Pick<Beginning, 'work' | 'url'>) {
    const folder = join(this.root, '.parts');
    await this.#make(folder);
    this.#parts ??= openPartFolder(folder, this.#options.clock);
    const part = partPath(join(this.#parts.path, 'body'));
    return { part, beginning: file && this.begun.take(file.work, file.url, part) };
  }

  /** The readable path of a work's file: the file itself, or a link if files are stored by hash. */
  friendly(workId: string, kind: ArtifactKind): string {
    return join(this.root, nameOf(workId, kind));
  }

  [Symbol.dispose](): void {
    this.#parts?.[Symbol.dispose]();
    this.#parts = undefined;
  }

  /** Renames verified bytes durably; returns the path relative to the root, with slashes on every system. */
  async keep(
    part: string,
    options: { readonly workId: string; readonly kind: ArtifactKind; readonly sha256: string },
  ): Promise<string> {
    const { workId, kind, sha256 } = options;
    const name = nameOf(workId, kind);
    const friendly = join(this.root, name);
    await this.#make(dirname(friendly));
    if (!this.#options.contentAddressed) {
      await this.#commits.add({ part, path: friendly });
      return name;
    }
    const stored = `cas/${sha256.slice(0, 2)}/${sha256}.${kind}`;
    const place = join(this.root, stored);
    await this.#make(dirname(place));
    await this.#commits.add({ part, path: place });
    await rm(friendly, { force: true });
    await this.#link(place, friendly);
    await syncFolder(dirname(friendly));
    return stored;
  }

  /** Bytes shared by hash stay. */
  async remove(workId: string, { path, kind }: Pick<Artifact, 'path' | 'kind'>): Promise<void> {
    const name = nameOf(workId, kind);
    if (path !== name && !this.#options.contentAddressed) return;
    await rm(join(this.root, name), { force: true });
    await syncFolder(dirname(join(this.root, name)));
  }

  /** Whether a saved file still exists with its size, or could be brought from the store. */
  async holds(path: string, bytes: number): Promise<boolean> {
    if (await this.#isHere(path, bytes)) return true;
    return (await this.#options.store?.bring(path)) === true && (await this.#isHere(path, bytes));
  }

  /** Whether a saved file was deleted or cut, and the store does not have it. */
  async hasLost(path: string, bytes: number): Promise<boolean> {
    return !this.#options.store?.has(path) && !(await this.#isHere(path, bytes));
  }

  async #isHere(path: string, bytes: number): Promise<boolean> {
    try {
      const found = await stat(join(this.root, path));
      return found.isFile() && found.size === bytes;
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
      throw error;
    }
  }

  /** A link beside the store: symbolic if allowed, else hard. */
  async #link(stored: string, friendly: string): Promise<void> {
    try {
      await symlink(relative(dirname(friendly), stored), friendly);
    } catch (error) {
      if (!hasCode(error, 'EPERM')) throw error;
      await link(stored, friendly);
    }
  }

  async #make(folder: string): Promise<void> {
    if (this.#made.has(folder)) return;
    try {
      await mkdir(folder, { recursive: true });
    } catch (error) {
      throw new AppError('DOWNLOAD_FOLDER', `cannot create ${folder}: ${errorInfo(error).message}`, {
        hint: 'choose a writable folder with --out',
        cause: error,
      });
    }
    this.#made.add(folder);
  }
}

const MOST_BYTES = 120;
const HASH_LENGTH = 12;
/** Ids with canonical case: no other id differs from them only in case. */
const CANONICAL = /^(?:W\d{1,20}|PMC\d{1,20})$/;
/** Device names reserved by Windows, with or without an extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)$/i;

/** A file name from an untrusted id, at most 120 bytes. Ids that would collide, ignoring case, get a hash. */
export function slug(id: string): string {
  const normal = id.normalize('NFC');
  const readable = normal
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[._]+/, '')
    .replace(/(?<![._])[._]+$/, '');
  const bytes = Buffer.from(readable).subarray(0, MOST_BYTES - HASH_LENGTH - 1);
  // `stream` drops a character that was cut in two.
  const cut = new TextDecoder().decode(bytes, { stream: true });
  // `w123` is another id than `W123`, and must not share its file on a case-insensitive file system.
  const isUnambiguous = CANONICAL.test(cut) || (cut === cut.toLowerCase() && !CANONICAL.test(cut.toUpperCase()));
  const faithful = cut === normal && isUnambiguous && !RESERVED.test(cut) && cut !== '';
  return faithful ? cut : `${cut === '' ? 'work' : cut}-${sha256(normal).slice(0, HASH_LENGTH)}`;
}

interface Commit {
  readonly part: string;
  readonly path: string;
}

/** part → fdatasync → rename → fsync of the folder: a file with its final name survives any crash. */
export async function commitFiles(commits: readonly Commit[], areSynced = false): Promise<Map<Commit, unknown>> {
  const failures = new Map<Commit, unknown>();
  const unsynced = await syncFiles(areSynced ? [] : commits.map(({ part }) => part));
  const isNew = new Set<Commit>();
  for (const commit of commits) {
    const { part, path } = commit;
    try {
      if (unsynced.has(part)) throw unsynced.get(part);
      if (!existsSync(path)) isNew.add(commit);
      replaceFile(part, path);
    } catch (error) {
      failures.set(commit, describeDiskError(error, path));
    }
  }
  const renamed = commits.filter((commit) => !failures.has(commit));
  for (const [folder, group] of Map.groupBy(renamed, ({ path }) => dirname(path))) {
    try {
      await syncFolder(folder);
    } catch (error) {
      for (const commit of group) {
        // The work will be retried: a name that a power cut may remove must not look like a saved file.
        if (isNew.has(commit)) rmSync(commit.path, { force: true });
        failures.set(commit, describeDiskError(error, commit.path));
      }
    }
  }
  return failures;
}
