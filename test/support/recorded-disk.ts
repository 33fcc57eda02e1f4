import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

/**
 * Records disk operations by the last part of each path: `sync a.part`, `rename a.part a`, `sync folder`. Call `recordDisk`
 * before loading the modules under test, since they keep references to the functions of `node:fs`.
 */
export interface RecordedDisk {
  readonly calls: string[];
  /** Called before each rename, removal, truncation and sync; an error thrown here is the disk's error. */
  refuse: (call: 'rename' | 'remove' | 'truncate' | 'sync', path: string) => void;
}

export function recordDisk(): RecordedDisk {
  const disk: RecordedDisk = { calls: [], refuse: () => undefined };
  const paths = new Map<number, { readonly path: string; readonly flags: string }>();
  const { openSync, closeSync, renameSync, rmSync, ftruncateSync, fsync, fsyncSync, fdatasync, fdatasyncSync } = fs;
  const open = fs.promises.open.bind(fs.promises);
  const nameOf = (descriptor: number): string => basename(paths.get(descriptor)?.path ?? String(descriptor));
  const sync = (descriptor: number, done: fs.NoParamCallback, really: typeof fsync): void => {
    disk.calls.push(`sync ${nameOf(descriptor)}`);
    try {
      disk.refuse('sync', paths.get(descriptor)?.path ?? '');
    } catch (error) {
      done(error as NodeJS.ErrnoException);
      return;
    }
    really(descriptor, done);
  };
  Object.assign(fs, {
    openSync: (path: string, flags = 'r', mode?: number) => {
      const descriptor = openSync(path, flags, mode);
      paths.set(descriptor, { path, flags });
      return descriptor;
    },
    closeSync: (descriptor: number) => {
      paths.delete(descriptor);
      closeSync(descriptor);
    },
    renameSync: (from: string, to: string) => {
      disk.refuse('rename', from);
      renameSync(from, to);
      disk.calls.push(`rename ${basename(from)} ${basename(to)}`);
    },
    rmSync: (path: string, options: fs.RmOptions) => {
      disk.refuse('remove', path);
      rmSync(path, options);
    },
    ftruncateSync: (descriptor: number, length: number) => {
      // As on Windows, where an append-only descriptor cannot truncate.
      if (paths.get(descriptor)?.flags.startsWith('a')) throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      disk.refuse('truncate', paths.get(descriptor)?.path ?? '');
      ftruncateSync(descriptor, length);
    },
    fsync: (descriptor: number, done: fs.NoParamCallback) => sync(descriptor, done, fsync),
    fsyncSync: (descriptor: number) => {
      disk.calls.push(`sync ${nameOf(descriptor)}`);
      fsyncSync(descriptor);
    },
    fdatasyncSync: (descriptor: number) => {
      disk.calls.push(`sync ${nameOf(descriptor)}`);
      fdatasyncSync(descriptor);
    },
    fdatasync: (descriptor: number, done: fs.NoParamCallback) => sync(descriptor, done, fdatasync),
  });
  fs.promises.open = async (path, ...rest) => {
    const handle = await open(path, ...rest);
    const sync = handle.sync.bind(handle);
    const datasync = handle.datasync.bind(handle);
    const recorded = (really: () => Promise<void>) => async (): Promise<void> => {
      disk.calls.push(`sync ${basename(String(path))}`);
      disk.refuse('sync', String(path));
      await really();
    };
    handle.sync = recorded(sync);
    handle.datasync = recorded(datasync);
    return handle;
  };
  syncBuiltinESMExports();
  return disk;
}
