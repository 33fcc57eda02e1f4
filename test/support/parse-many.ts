import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { ChildAnswer } from './parse-child.ts';

/** What came of a file: the child's answer, or how the child ended. */
export type FileResult =
  | ChildAnswer
  | { readonly file: string; readonly code: 'CRASHED' | 'KILLED'; readonly detail: string };

interface Limits {
  readonly deadlineMs: number;
  readonly maxMemoryBytes: number;
  readonly children: number;
}

/** Parses files in child processes that are killed at the deadline, several at a time. */
export async function parseMany(files: readonly string[], limits: Limits): Promise<FileResult[]> {
  const waiting = [...files];
  const results: FileResult[] = [];
  const work = async (): Promise<void> => {
    let child: ChildProcess | undefined;
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      child ??= fork(join(import.meta.dirname, 'parse-child.ts'), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
      const result = await parseOne(child, file, limits);
      results.push(result);
      // A process that has held a large heap is not reused: its memory comes back with its end only.
      if (!('peakMegabytes' in result) || result.peakMegabytes > 500) {
        child.kill('SIGKILL');
        child = undefined;
      }
    }
    child?.kill('SIGKILL');
  };
  await Promise.all(Array.from({ length: limits.children }, work));
  return results;
}

function parseOne(child: ChildProcess, file: string, limits: Limits): Promise<FileResult> {
  return new Promise((resolve) => {
    let errors = '';
    const collect = (chunk: Buffer): void => {
      errors = (errors + chunk.toString()).slice(-600);
    };
    const finish = (result: FileResult): void => {
      clearTimeout(timer);
      child.off('message', answered);
      child.off('exit', ended);
      child.stderr?.off('data', collect);
      resolve(result);
    };
    const answered = (answer: unknown): void => finish(answer as ChildAnswer);
    const ended = (code: number | null, signal: string | null): void =>
      finish({ file, code: 'CRASHED', detail: `${code ?? signal} ${errors}` });
    const timer = setTimeout(() => {
      finish({ file, code: 'KILLED', detail: `after ${limits.deadlineMs} ms` });
    }, limits.deadlineMs);
    child.once('message', answered);
    child.once('exit', ended);
    child.stderr?.on('data', collect);
    child.send({ file, maxMemoryBytes: limits.maxMemoryBytes });
  });
}
