import { REASONS } from '../../download/index.ts';

/** The outcome of a work. */
export type WorkOutcome =
  | 'saved'
  /** A paper of the user's own. */
  | 'own'
  /** Deferred: it is tried again. */
  | 'parked'
  /** Failed for a reason that may pass. */
  | 'failed'
  /** Unavailable. */
  | 'skipped'
  /** Not tried yet. */
  | 'waiting'
  /** An entry of a list that names no work. */
  | 'unreadable';

/** A work as a list shows it. */
export interface WorkLine {
  readonly id: string;
  readonly title: string | null;
  /** The first author, and whether there are others: `Berg et al.` */
  readonly authors: string | null;
  readonly year: number | null;
  readonly venue: string | null;
  readonly doi: string | null;
  readonly type: string | null;
  readonly outcome: WorkOutcome;
  readonly reason: string | null;
  /** What the reason means. */
  readonly sentence: string | null;
  readonly resolver: string | null;
  readonly licence: string | null;
  readonly version: string | null;
  readonly bytes: number | null;
  /** The document that holds it, once there is a file. */
  readonly document: string | null;
  readonly retracted: boolean;
  readonly citations: number | null;
  readonly at: string | null;
}

/** The outcome of a work, as it is shown. */
export interface SettledWork {
  readonly work: string;
  readonly at: string;
  readonly outcome: string;
  readonly reason: string;
  readonly title: string | null;
  readonly resolver: string | null;
}

/** A row of the table as a list shows it. */
export function lineOf(row: Record<string, unknown>): WorkLine {
  const text = (name: string): string | null => (typeof row[name] === 'string' && row[name] !== '' ? row[name] : null);
  const reason = text('reason');
  return {
    id: String(row['work']),
    title: text('title'),
    authors: text('authors'),
    year: row['year'] === 0 ? null : Number(row['year']),
    venue: text('venue'),
    doi: text('doi'),
    type: text('type'),
    outcome: String(row['outcome']) as WorkOutcome,
    reason,
    sentence: sentenceOf(reason),
    resolver: text('resolver'),
    licence: text('licence'),
    version: text('version'),
    bytes: typeof row['bytes'] === 'number' ? row['bytes'] : null,
    document: text('document'),
    retracted: row['retracted'] === 1,
    citations: row['citations'] === -1 ? null : Number(row['citations']),
    at: text('at'),
  };
}

/** What a reason means; null for one that this version does not know. */
export function sentenceOf(reason: string | null): string | null {
  return reason !== null && Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS].sentence : null;
}
