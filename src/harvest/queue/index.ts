// Separate, so that commands that only inspect or fill a queue, or run other handlers, do not load the downloader.
export { readArtifacts } from './artifact-lines.ts';
export type { BadArtifact } from './artifact-lines.ts';
export { fleetLayer, openQueue, orchestratorOptions, queueLayer } from './open-queue.ts';
