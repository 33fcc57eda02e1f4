// Separate, so that commands that only inspect or fill a queue, or run other handlers, do not load the downloader.
export { fleetLayer, openQueue, orchestratorOptions, queueLayer, readArtifacts } from './open-queue.ts';
export type { BadArtifact } from './open-queue.ts';
