// A room of its own, because commands that only look at a queue, fill it or run jobs of somebody's own should not load what downloads.
export { readArtifacts } from './artifact-lines.ts';
export type { BadArtifact } from './artifact-lines.ts';
export { fleetLayer, openQueue, orchestratorOptions, queueLayer } from './open-queue.ts';
