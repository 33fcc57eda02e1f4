import { fieldsOf, parseJson } from '../base/index.ts';
import type { ManifestRow } from '../download/index.ts';
import type { LogName, StageLog } from '../journal/index.ts';
import type { CorpusSql } from './corpus-sql.ts';
import type { WorkRows } from './work-rows.ts';
import type { Decision, ScreeningDecision, Standing } from './decisions.ts';
import { CHOICES, labelOf, LABELS, PHASES } from './decisions.ts';
import { applyObjectLine } from './object-rows.ts';
import type { RecordLine } from './record-rows.ts';
import { applyRecordLine } from './record-rows.ts';

/** What a document is after a stage. */
export const STEPS = { doctags: 'parsed', chunk: 'chunked', embed: 'embedded' } as const satisfies Record<
  StageLog,
  string
>;

/** A line of `hosts.jsonl`: what happened at one host in one time slice. Times are ISO 8601. */
export interface HostRow {
  readonly kind: 'host';
  readonly at: string;
  /** Length of the slice. */
  readonly ms: number;
  readonly host: string;
  readonly sent: number;
  /** Requests that ended, by status or reason. */
  readonly done: Readonly<Record<string, number>>;
  readonly bytes: number;
  /** Total waiting time of the requests sent. */
  readonly waited_ms: number;
  /** Most concurrent requests, and the limit. */
  readonly most: number;
  readonly cap: number;
  /** The host rate-limited us until then; null if not. */
  readonly asked_until: string | null;
  /** Set after repeated failures: no requests until then. */
  readonly held_until: string | null;
}

const LONGEST_TEXT = 4_000;
const MOST_WORDS = 200;
/** The reviewer of decisions from versions that did not log one. */
const IMPORTED = 'import';

/** Turns log lines into rows, which depend only on the lines of one log and their order. */
export class LineReader {
  readonly #sql: CorpusSql;
  readonly #works: WorkRows;

  constructor(sql: CorpusSql, works: WorkRows) {
    this.#sql = sql;
    this.#works = works;
  }

  /** Returns the positions of lines that are damaged or unknown to this version. */
  read(log: LogName, lines: readonly string[]): number[] {
    const bad: number[] = [];
    for (const [at, line] of lines.entries())
      if (line.trim() !== '' && !this.#take(log, fieldsOf(parseJson(line)), line)) bad.push(at);
    return bad;
  }

  #take(log: LogName, value: Readonly<Record<string, unknown>>, line: string): boolean {
    switch (log) {
      case 'manifest':
        return isManifestRow(value) && this.#outcome(value, line);
      case 'records':
        return applyRecordLine(this.#sql, this.#works, value as unknown as RecordLine);
      case 'decisions':
        return (
          (['set', 'protocol', 'sample', 'same-node', 'other-node'].includes(String(value['kind'])) ||
            typeof value['work'] === 'string') &&
          this.#decision(value as unknown as Decision)
        );
      case 'objects':
        return applyObjectLine(this.#sql, value);
      case 'hosts':
        return this.#hostSlice(value);
      case 'doctags':
      case 'chunk':
      case 'embed':
        return this.#step(STEPS[log], value);
    }
  }

  #outcome(row: ManifestRow, line: string): boolean {
    const { work, run_id: run, at, outcome, reason } = row;
    const added = this.#sql.insert(
      'outcomes',
      {
        work,
        run,
        at,
        outcome,
        reason,
        resolver: text(row.resolver),
        path: text(row.path),
        kind: text(row.kind),
        sha256: text(row.sha256),
        bytes: whole(row.bytes),
        title: text(row.title),
        doi: text(row.doi),
        licence: text(row.license),
        version: text(row.version),
        row: line,
      },
      'or ignore',
    );
    if (added > 0) {
      this.#sameWork(row);
      this.#works.changed(work);
    }
    return true;
  }

  /** A duplicate, or a list entry whose work was found. A later outcome of the duplicate undoes it. */
  #sameWork({ work, reason, duplicate_of: of }: ManifestRow): void {
    const before = this.#sql.get<{ of: string }>('select of from same_works where id = ?', work);
    if (before) this.#works.changed(before.of);
    if ((reason === 'duplicate' || reason === 'entry-identified') && typeof of === 'string' && of !== work) {
      this.#sql.insert('same_works', { id: work, of }, 'or replace');
      this.#works.changed(of);
    } else if (before) this.#sql.run('delete from same_works where id = ?', work);
  }

  #decision(decision: Decision): boolean {
    switch (decision.kind) {
      case 'protocol':
        return this.#protocol(decision);
      case 'sample':
        this.#sql.insert('samples', { seed: text(decision.seed) ?? '', after: this.#lastScreened() });
        return true;
      case 'label': {
        if (!LABELS.includes(decision.label)) return false;
        const { work, label, at } = decision;
        const choice = { phase: 'title-abstract', decision: label === 'included' ? 'include' : 'exclude' } as const;
        const id = `label:${this.#lastScreened() + 1}`;
        return this.#screened({ id, work, ...choice, by: IMPORTED, at, reason: null });
      }
      case 'screened':
        return this.#screened(decision);
      case 'undone':
        this.#sql.run('update screened set undone = 1 where id = ? and work = ?', text(decision.of), decision.work);
        this.#label(decision.work);
        return true;
      case 'version': {
        const { work, of, reason, score, at } = decision;
        if (typeof of !== 'string') return false;
        const known = { reason: text(reason) ?? '', score: Number.isFinite(score) ? score : 0, at: text(at) ?? '' };
        this.#sql.insert('versions', { work, of, ...known }, 'or ignore');
        for (const name of [work, of]) this.#works.versionsChanged(name);
        return true;
      }
      case 'set': {
        const { name, works, at } = decision;
        if (typeof name !== 'string' || name === '') return false;
        this.#sql.run('delete from sets where name = ?', name);
        const isList = Array.isArray(works) && works.every((work) => typeof work === 'string');
        const filter = isList ? null : text(decision.filter);
        const row = { name, works: isList ? JSON.stringify(works) : null, filter, at: text(at) ?? '' };
        if (isList || filter !== null) this.#sql.insert('sets', row);
        return true;
      }
      case 'cell': {
        const { work, column } = decision;
        if (typeof column !== 'string') return false;
        this.#sql.run('delete from cells where work = ? and column_name = ?', work, column);
        const value = text(decision.value);
        if (value !== null) this.#sql.insert('cells', { work, column_name: column, value });
        return true;
      }
      case 'note': {
        const [id, by] = [text(decision.id), text(decision.by)];
        if (id === null || id === '' || by === null) return false;
        const { work, document, page, quote, at, removed } = decision;
        const place = { document: text(document), page: whole(page), quote: text(quote) };
        const said = { text: text(decision.text) ?? '', by, at: text(at) ?? '', removed: removed ? 1 : 0 };
        this.#sql.insert('notes', { id, work, ...place, ...said }, 'or replace');
        return true;
      }
      case 'identity': {
        const { work, of, same } = decision;
        if (typeof of !== 'string' || of === work) return false;
        this.#sql.insert('decided_works', { id: work, of, apart: same ? 0 : 1 }, 'or replace');
        for (const name of [work, of]) this.#works.changed(name);
        return true;
      }
      case 'same-node': {
        const { node, of, same } = decision;
        if (text(node) === null || text(of) === null || node === of) return false;
        this.#sql.run('delete from decided_nodes where node = ? and of = ?', node, of);
        if (same) this.#sql.insert('decided_nodes', { node, of, name: '', at: text(decision.at) ?? '' });
        return true;
      }
      case 'other-node': {
        const { node, name, other } = decision;
        if (text(node) === null || text(name) === null) return false;
        this.#sql.run('delete from decided_nodes where node = ? and name = ?', node, name);
        if (other) this.#sql.insert('decided_nodes', { node, of: '', name, at: text(decision.at) ?? '' });
        return true;
      }
      case 'split':
      case 'merge':
        this.#sql.run(
          `update versions set undone = ?1 where (?3 is null and (work = ?2 or of = ?2)) or (work = ?2 and of = ?3)`,
          decision.kind === 'split' ? 1 : 0,
          decision.work,
          text(decision.of),
        );
        this.#works.versionsChanged(decision.work);
        return true;
      default:
        return false;
    }
  }

  #lastScreened(): number {
    return this.#sql.get<{ last: number | null }>('select max(sequence) as last from screened')?.last ?? 0;
  }

  #screened(row: Standing & Pick<ScreeningDecision, 'id' | 'work'> & Partial<ScreeningDecision>): boolean {
    const { id, work, phase, decision, by } = row;
    if (text(id) === null || text(by) === null || !PHASES.includes(phase) || !CHOICES.includes(decision)) return false;
    const more = { at: text(row.at) ?? '', reason: text(row.reason), note: text(row.note), rank: whole(row.rank) };
    const criteria = whole(row.criteria) ?? 0;
    if (this.#sql.insert('screened', { id, work, phase, decision, by, criteria, ...more }, 'or ignore') > 0)
      this.#label(work);
    return true;
  }

  #protocol(row: Decision & { kind: 'protocol' }): boolean {
    const words = (list: unknown): string =>
      JSON.stringify(Array.isArray(list) ? list.flatMap((each) => text(each) ?? []).slice(0, MOST_WORDS) : []);
    const { version } = row;
    if (whole(version) === null) return false;
    const before = this.#reviewers();
    this.#sql.insert(
      'protocols',
      {
        version,
        reviewers: Math.max(1, whole(row.reviewers) ?? 1),
        question: text(row.question) ?? '',
        criteria: text(row.criteria) ?? '',
        reasons: words(row.reasons),
        highlight: words(row.highlight),
      },
      'or ignore',
    );
    if (this.#reviewers() !== before)
      for (const { work } of this.#sql.all<{ work: string }>('select distinct work from screened')) this.#label(work);
    return true;
  }

  #reviewers(): number {
    return (
      this.#sql.get<{ reviewers: number }>('select reviewers from protocols order by version desc limit 1')
        ?.reviewers ?? 1
    );
  }

  #label(work: string): void {
    const decisions = this.#sql.all<Standing>(
      'select decision, by, phase, reason from screened where work = ? and undone = 0 order by sequence',
      work,
    );
    const found = labelOf(decisions, this.#reviewers());
    this.#sql.run('delete from labels where work = ?', work);
    if (found) this.#sql.insert('labels', { work, ...found });
    this.#works.changed(work);
  }

  #hostSlice(row: Readonly<Record<string, unknown>>): boolean {
    const { kind, host, at, done } = row;
    if (typeof at !== 'string') return false;
    if (kind === 'run') return true;
    if (kind !== 'host' || typeof host !== 'string' || typeof done !== 'object' || done === null) return false;
    const number = (name: string): number => whole(row[name]) ?? 0;
    const ended = (is: (outcome: string) => boolean): number =>
      Object.entries(done).reduce((sum, [outcome, times]) => sum + (is(outcome) ? (whole(times) ?? 0) : 0), 0);
    const counts = { sent: number('sent'), refused: ended(isRefusal), failed: ended(isFailure), cap: number('cap') };
    const counted = { ms: number('ms'), bytes: number('bytes'), waited_ms: number('waited_ms'), most: number('most') };
    const [asked, held] = [text(row['asked_until']), text(row['held_until'])];
    this.#sql.insert('host_slices', { host, at, ...counts, ...counted, asked_until: asked, held_until: held });
    const why = held !== null ? 'host-held' : asked !== null ? 'rate-limited' : null;
    this.#sql.run(
      `insert into hosts (host, requests, refused, failed, cap, last_at, held_until, held_why)
       values (:host, :sent, :refused, :failed, :cap, :at, :until, :why) on conflict do update set
         requests = requests + excluded.requests, refused = refused + excluded.refused, failed = failed + excluded.failed,
         cap = iif(excluded.cap > 0, excluded.cap, cap), last_at = excluded.last_at,
         held_why = iif(excluded.held_until > coalesce(held_until, ''), excluded.held_why, held_why),
         held_until = iif(excluded.held_until > coalesce(held_until, ''), excluded.held_until, held_until)`,
      { host, ...counts, at, until: held ?? asked, why },
    );
    return true;
  }

  #step(step: 'parsed' | 'chunked' | 'embedded', row: Readonly<Record<string, unknown>>): boolean {
    const { doc_id: document, status, duration_s: seconds } = row;
    if (typeof document !== 'string' || typeof status !== 'string') return false;
    if (status === 'skip') {
      // It was finished before, unless it is a scan that still needs OCR.
      this.#sql.run(
        `insert into document_steps (document, step, ended) values (?, ?, ?) on conflict do update set ended = excluded.ended,
           partial = partial and excluded.ended = 'success', category = null, code = null, failure = null`,
        document,
        step,
        row['reason'] === 'needs-ocr' ? 'needs-ocr' : 'success',
      );
      return true;
    }
    const last = this.#sql.number('select max(sequence) from document_steps where step = ?', step);
    const why = status === 'failure' ? row : {};
    this.#sql.insert(
      'document_steps',
      {
        document,
        step,
        sequence: last + 1,
        at: text(row['finished_at']) ?? '',
        ended: status,
        partial: status === 'success' && row['completeness'] === 'partial' ? 1 : 0,
        seconds: typeof seconds === 'number' ? seconds : null,
        category: text(why['category']),
        code: text(why['code']),
        failure: text(why['message'] ?? why['category']),
      },
      'or replace',
    );
    return true;
  }
}

/** A host asks for fewer requests. */
export function isRefusal(outcome: string): boolean {
  return outcome === '429' || outcome === '503';
}

/** A server error or no response at all. A 404 is a valid response. */
export function isFailure(outcome: string): boolean {
  return !isRefusal(outcome) && (/^5\d\d$/.test(outcome) || !/^\d{3}$/.test(outcome));
}

function isManifestRow(value: unknown): value is ManifestRow {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const row = value as Record<string, unknown>;
  return (
    ['work', 'run_id', 'at', 'outcome', 'reason'].every((name) => typeof row[name] === 'string') &&
    Array.isArray(row['attempts']) &&
    row['attempts'].every((attempt) => attempt !== null && typeof attempt === 'object')
  );
}

/** Logs may come from other programs: a field of the wrong type counts as missing. */
function text(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : null;
}

function whole(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}
