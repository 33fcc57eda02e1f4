import { readFileSync } from 'node:fs';

/** What one side of the comparison used. */
export interface Usage {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Of processes it started, which have ended. */
  readonly childCpuSeconds: number;
  readonly peakMegabytes: number;
}

/** Ticks per second of the times that Linux tells in /proc; the same on every architecture. */
const TICKS = 100;

/** Processor time of the children of this process that have ended; NaN where the system does not tell. */
export function childCpuSeconds(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const text = readFileSync('/proc/self/stat', 'utf8');
  // The name of the program, in parentheses, may hold anything; fields 16 and 17 are what is wanted.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** The most memory a process has had so far, in megabytes; 0 when it is gone or the system does not tell. */
export function peakMegabytesOf(pid: number): number {
  try {
    const match = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(match?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
