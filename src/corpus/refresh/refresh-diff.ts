import type { Notice, WorkRecord } from '../../works/index.ts';
import { retractionOf } from '../../works/index.ts';

/** The state of a work between two refreshes. Plain data. */
export interface WorkState {
  readonly title: string | null;
  readonly doi: string | null;
  readonly isOpen: boolean;
  readonly isSaved: boolean;
  readonly version: string | null;
  readonly isRetracted: boolean;
  /** Notices by kind and DOI. */
  readonly notices: readonly string[];
  /** DOIs of versions published since. */
  readonly publishedAs: readonly string[];
  /** arXiv's newest version of a work downloaded from there; absent if unknown. */
  readonly arxivVersion?: number;
}

export type States = Readonly<Record<string, WorkState>>;

interface ChangedWork {
  readonly work: string;
  readonly title: string | null;
  readonly doi: string | null;
}

/** What has changed in a corpus since the last refresh. */
export interface RefreshDiff {
  readonly new_works: readonly ChangedWork[];
  /** Closed before, open now. */
  readonly opened: readonly ChangedWork[];
  readonly fetched: readonly ChangedWork[];
  /** A newer version, or one that was published. */
  readonly new_versions: readonly (ChangedWork & {
    readonly published_as: readonly string[];
    /** The number of the newer version at arXiv; null if the new version is elsewhere. */
    readonly arxiv_version: number | null;
  })[];
  readonly retracted: readonly ChangedWork[];
  readonly reinstated: readonly ChangedWork[];
  /** Corrections and expressions of concern, which do not retract the work. */
  readonly corrected: readonly (ChangedWork & { readonly notices: readonly string[] })[];
}

/** The state of a record. */
export function stateOf(record: WorkRecord, isSaved: boolean, arxivVersion?: number): WorkState {
  return {
    ...(arxivVersion !== undefined && { arxivVersion }),
    title: record.title,
    doi: record.ids.doi,
    isOpen: record.access !== null && record.access !== 'closed',
    isSaved,
    version: record.version,
    isRetracted: retractionOf(record) !== undefined,
    notices: record.notices.map(noticeName).toSorted(),
    publishedAs: record.relations
      .filter(({ kind }) => kind === 'is-preprint-of')
      .map(({ doi }) => doi)
      .toSorted(),
  };
}

function noticeName({ kind, doi, source }: Notice): string {
  return `${kind} ${doi ?? source}`;
}

const ORDER = ['submittedVersion', 'acceptedVersion', 'publishedVersion'];

/** The DOIs under which a work was published since. */
export function publishedSince(earlier: WorkState, now: WorkState): string[] {
  return now.publishedAs.filter((doi) => !earlier.publishedAs.includes(doi));
}

/** Whether the current open copy is closer to the published text than the earlier one. */
export function isNewerVersion(earlier: WorkState, now: WorkState): boolean {
  return earlier.version !== null && ORDER.indexOf(now.version ?? '') > ORDER.indexOf(earlier.version);
}

/** The new arXiv version since then; undefined if there is none. */
export function revisedSince(earlier: WorkState, now: WorkState): number | undefined {
  const { arxivVersion: before } = earlier;
  const { arxivVersion: version } = now;
  return before !== undefined && version !== undefined && version > before ? version : undefined;
}

/** The differences between two refreshes. */
export function diffStates(before: States, after: States): RefreshDiff {
  const works = Object.entries(after).toSorted(([a], [b]) => a.localeCompare(b));
  const changed = works.flatMap(([work, now]) => {
    const earlier = before[work];
    return earlier ? [{ work, now, earlier, told: { work, title: now.title, doi: now.doi } }] : [];
  });
  const isReinstatement = (notice: string): boolean => notice.startsWith('reinstatement ');
  const isWeighty = (notice: string): boolean => /^(?:retraction|removal|reinstatement) /.test(notice);
  // A published version is reported with the work it belongs to.
  const versions = new Set(changed.flatMap(({ now }) => now.publishedAs));
  return {
    new_works: works
      .filter(([work, { doi }]) => before[work] === undefined && !(doi !== null && versions.has(doi)))
      .map(([work, { title, doi }]) => ({ work, title, doi })),
    opened: changed.filter(({ now, earlier }) => now.isOpen && !earlier.isOpen).map(({ told }) => told),
    fetched: works
      .filter(([work, now]) => now.isSaved && before[work]?.isSaved !== true)
      .map(([work, { title, doi }]) => ({ work, title, doi })),
    new_versions: changed
      .filter(
        ({ now, earlier }) =>
          publishedSince(earlier, now).length > 0 ||
          isNewerVersion(earlier, now) ||
          revisedSince(earlier, now) !== undefined,
      )
      .map(({ told, now, earlier }) => ({
        ...told,
        published_as: now.publishedAs,
        arxiv_version: revisedSince(earlier, now) ?? null,
      })),
    retracted: changed.filter(({ now, earlier }) => now.isRetracted && !earlier.isRetracted).map(({ told }) => told),
    // Reported even if the retraction was not known here.
    reinstated: changed
      .filter(
        ({ now, earlier }) =>
          !now.isRetracted &&
          (earlier.isRetracted ||
            now.notices.some((notice) => isReinstatement(notice) && !earlier.notices.includes(notice))),
      )
      .map(({ told }) => told),
    corrected: changed.flatMap(({ told, now, earlier }) => {
      const notices = now.notices.filter((notice) => !earlier.notices.includes(notice) && !isWeighty(notice));
      return notices.length === 0 ? [] : [{ ...told, notices }];
    }),
  };
}

export function isEmptyDiff(diff: RefreshDiff): boolean {
  return Object.values(diff).every((works: readonly unknown[]) => works.length === 0);
}
