import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Every program that a test may use besides a POSIX shell's and those that npm installs, with what it is for. */
export const PROGRAMS = JSON.parse(readFileSync(join(import.meta.dirname, 'programs.json'), 'utf8')) as Readonly<
  Record<string, string>
>;

/** Folders of programs for the administrator, which may not be on the PATH. */
const MORE_FOLDERS = ['/usr/sbin', '/sbin'];

/** The path of a listed program; undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  if (!Object.hasOwn(PROGRAMS, name)) throw new Error(`${name} is not listed in test/support/programs.json`);
  return locate([name]);
}

/** Why a test that needs a listed program is skipped; false where it is installed. */
export function skipWithout(name: string): string | false {
  return findProgram(name) === undefined && `${name}, which ${PROGRAMS[name] ?? ''}, is not installed`;
}

/** The first of these names that is a program on the PATH. */
export function locate(names: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...MORE_FOLDERS];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
}

/** Whether a file may be executed. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
