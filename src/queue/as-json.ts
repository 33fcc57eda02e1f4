import type { HostOverview, QueueOverview } from './overview.ts';
import type { Job } from './types.ts';

// What commands print with --json and the HTTP interface answers. Times are ISO 8601.

/** ISO 8601, or null for an unknown or infinite time. */
export function isoTime(at: number | null | undefined): string | null {
  return at === null || at === undefined || !Number.isFinite(at) ? null : new Date(at).toISOString();
}

/** A job with its SQL column names. */
export function jobJson(job: Job) {
  return {
    id: job.id,
    artifact_id: job.artifactId,
    artifact: parsed(job.artifactJson),
    state: job.state,
    attempts: job.attempts,
    last_error: job.lastError,
    result: job.result === null ? null : parsed(job.result),
    deaths: job.deaths,
    deaths_alone: job.deathsAlone,
    suspect_since: isoTime(job.suspectSince),
    resolver_hint: job.resolverHint,
    host: job.host,
    priority: job.priority,
    created_at: isoTime(job.createdAt),
    updated_at: isoTime(job.updatedAt),
    available_at: isoTime(job.availableAt),
    lease_expires_at: isoTime(job.leaseExpiresAt),
    worker_id: job.workerId,
  };
}

/** Jobs enqueued by other programs may hold a payload that is not JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/** Limits and current state of a host. */
export function hostJson({ kind, cap, perSecond, slowed, inFlight, waiting, nextAt, hold, budgetLeft }: HostOverview) {
  return {
    kind,
    cap,
    per_second: perSecond,
    slowed,
    in_flight: inFlight,
    waiting,
    next_at: isoTime(nextAt),
    held_until: isoTime(hold?.until),
    held_why: hold?.reason ?? null,
    budget_left: budgetLeft,
  };
}

/** The state of a queue; field names follow the source documents. */
export function queueJson({ stats, perSecond, leftMs, workers, slowed, oldestDue }: QueueOverview) {
  return {
    ...stats.states,
    total: stats.total,
    due: stats.due,
    delayed: stats.delayed,
    suspects: stats.suspects,
    per_second: perSecond,
    left_seconds: leftMs === null ? null : leftMs / 1000,
    oldest_queued_at: isoTime(stats.oldestQueuedAt),
    oldest_queued_id: oldestDue?.artifactId ?? null,
    next_available_at: isoTime(stats.nextAvailableAt),
    by_resolver: [...stats.byResolver],
    by_error_code: [...stats.byErrorCode],
    leases: stats.leases.map(({ workerId, jobs, expiresAt }) => ({
      worker_id: workerId,
      jobs,
      expires_at: isoTime(expiresAt),
    })),
    workers: workers.map((worker) => ({
      worker_id: worker.workerId,
      alive: worker.alive,
      pid: worker.pid,
      hostname: worker.hostname,
      holds: worker.holds,
      lease_ends_at: isoTime(worker.leaseEndsAt),
      maxWorkers: worker.maxWorkers,
      running: worker.running,
      parked: worker.parked,
      per_second: worker.perSecond,
      started_at: isoTime(worker.startedAt),
      updated_at: isoTime(worker.heardAt),
    })),
    slowed_hosts: slowed.map(({ key, cap, perSecond: rate, hold }) => ({
      host: key,
      cap,
      per_second: rate,
      held_until: isoTime(hold?.until),
      held_why: hold?.reason ?? null,
    })),
    pauses: stats.pauses.map(({ scope, name, since }) => ({ scope, name, since: isoTime(since) })),
  };
}
