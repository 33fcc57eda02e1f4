import { spawnSync } from 'node:child_process';

/** Makes a folder read-only until disposed of; undefined where that is impossible. */
export function readOnly(folder: string): Disposable | undefined {
  const run = (program: string, ...parameters: readonly string[]): boolean =>
    spawnSync(program, parameters).status === 0;
  if (process.getuid?.() !== 0)
    return run('chmod', '-R', 'a-w', folder)
      ? { [Symbol.dispose]: () => void run('chmod', '-R', 'u+w', folder) }
      : undefined;
  // Root may write to any folder except on a disk mounted read-only.
  if (!run('mount', '--bind', folder, folder)) return undefined;
  run('mount', '-o', 'remount,ro,bind', folder);
  return { [Symbol.dispose]: () => void run('umount', folder) };
}
