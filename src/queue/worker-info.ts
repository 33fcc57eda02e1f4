import type { WorkerInfo } from './types.ts';

/** What a worker told, as it was written down; one of an older version told less. */
export function parseWorkerInfo(json: string): WorkerInfo {
  const told = JSON.parse(json) as Omit<WorkerInfo, 'heartbeatMs' | 'perSecond' | 'hosts'> & Partial<WorkerInfo>;
  return { heartbeatMs: 30_000, perSecond: 0, hosts: [], ...told };
}
