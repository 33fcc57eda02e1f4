import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What a command and all processes that it started took. */
export interface Measured {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** The most that one of the processes held at once; Linux tells it. */
  readonly peakMegabytes: number;
  readonly output: string;
}

/** How often the processes are looked at; what Linux tells is their high-water mark, so little is missed. */
const LOOK_MS = 50;

/** Runs a command to its end. Its processor time is what the system books on ended children, theirs included. */
export async function measureCommand(command: string, words: readonly string[]): Promise<Measured> {
  const before = childCpuSeconds();
  const start = performance.now();
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  let peak = 0;
  const looking = setInterval(() => (peak = Math.max(peak, highWater(child.pid ?? 0))), LOOK_MS);
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on('error', reject);
  child.on('close', resolve);
  const code = await promise.finally(() => clearInterval(looking));
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors.slice(-500)}`);
  return {
    cpuSeconds: childCpuSeconds() - before,
    wallSeconds: (performance.now() - start) / 1_000,
    peakMegabytes: peak,
    output,
  };
}

function childCpuSeconds(): number {
  const fields = fieldsOf('self');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** The fields of a process's line after its name; empty when it has ended. */
function fieldsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ');
  } catch {
    return [];
  }
}

function highWater(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), Number(fieldsOf(name)[1]));
  const isOwn = (pid: number, depth = 0): boolean =>
    pid === root || (depth < 8 && parents.has(pid) && isOwn(parents.get(pid) ?? 0, depth + 1));
  return Math.max(0, ...[...parents.keys()].filter((pid) => isOwn(pid)).map(megabytesOf));
}

function megabytesOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
