import { WALL_PER_CPU } from '../options.ts';

// Limits of the current item of a worker process, shared with its watchdog thread: CPU time and end time, both in
// milliseconds. Infinity means no limit.
const [CPU, WALL] = [0, 1] as const;

export function createLimits(): Float64Array {
  return new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT)).fill(Infinity);
}

/** Starts an item with a CPU time limit; 0 means none. */
export function beginItem(limits: Float64Array, cpuS: number): void {
  limits[CPU] = cpuS === 0 ? Infinity : cpuMs() + cpuS * 1_000;
  limits[WALL] = cpuS === 0 ? Infinity : wallMs() + cpuS * 1_000 * WALL_PER_CPU;
}

export function grantCpu(limits: Float64Array, seconds: number): void {
  limits[CPU] = (limits[CPU] ?? Infinity) + seconds * 1_000;
  limits[WALL] = (limits[WALL] ?? Infinity) + seconds * 1_000 * WALL_PER_CPU;
}

export function endItem(limits: Float64Array): void {
  limits.fill(Infinity);
}

export function isOver(limits: Float64Array): boolean {
  return cpuMs() > (limits[CPU] ?? Infinity) || wallMs() > (limits[WALL] ?? Infinity);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** `performance.now()` starts at zero in each thread; this clock is the same in all of them. */
function wallMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
