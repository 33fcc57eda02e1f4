import { WALL_PER_CPU } from '../options.ts';

// The limits of the item that a worker process runs, shared with its watchdog thread: the processor time of the process
// and the moment at which the item is over, both in milliseconds. An item without a limit has Infinity in both.
const [CPU, WALL] = [0, 1] as const;

/** Memory for the limits of one process. */
export function createLimits(): Float64Array {
  return new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT)).fill(Infinity);
}

/** Begins an item that may use so many processor seconds; 0 means any number. */
export function beginItem(limits: Float64Array, cpuS: number): void {
  limits[CPU] = cpuS === 0 ? Infinity : cpuMs() + cpuS * 1_000;
  limits[WALL] = cpuS === 0 ? Infinity : wallMs() + cpuS * 1_000 * WALL_PER_CPU;
}

/** Gives the item more processor seconds. */
export function grantCpu(limits: Float64Array, seconds: number): void {
  limits[CPU] = (limits[CPU] ?? Infinity) + seconds * 1_000;
  limits[WALL] = (limits[WALL] ?? Infinity) + seconds * 1_000 * WALL_PER_CPU;
}

/** The item is done. */
export function endItem(limits: Float64Array): void {
  limits.fill(Infinity);
}

/** Whether the item has used up its time. */
export function isOver(limits: Float64Array): boolean {
  return cpuMs() > (limits[CPU] ?? Infinity) || wallMs() > (limits[WALL] ?? Infinity);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Threads count `performance.now()` from their own start; this clock is the same in all of them. */
function wallMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
