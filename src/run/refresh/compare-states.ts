import type { WorkRecord } from '../../works/index.ts';
import { retractionOf } from '../../works/index.ts';

/** What a refresh compares of a work. */
export interface WorkState {
  /** arXiv's newest version of a work downloaded from there; absent if unknown. */
  readonly arxivVersion?: number;
  readonly title: string | null;
  readonly doi: string | null;
  readonly isOpen: boolean;
  /** The work's file is in the corpus. */
  readonly isSaved: boolean;
  readonly version: string | null;
  readonly isRetracted: boolean;
  /** Retractions, corrections and expressions of concern: the kind and the notice's DOI or source, sorted. */
  readonly notices: readonly string[];
  /** DOIs of versions published since, sorted. */
  readonly publishedAs: readonly string[];
}

export type States = Readonly<Record<string, WorkState>>;

/** A work that has changed. */
interface ChangedWork {
  readonly work: string;
  readonly title: string | null;
  readonly doi: string | null;
}

/** What has changed about the works since they were looked up before. */
export interface RefreshDiff {
  /** Listed since; published versions of known works are among `new_versions`. */
  readonly new_works: readonly ChangedWork[];
  /** An open copy is known now. */
  readonly opened: readonly ChangedWork[];
  /** The file is here now. */
  readonly fetched: readonly ChangedWork[];
  /** A newer version, or one that was published. */
  readonly new_versions: readonly (ChangedWork & {
    readonly published_as: readonly string[];
    /** The number of the newer version at arXiv; null if the new version is elsewhere. */
    readonly arxiv_version: number | null;
  })[];
  /** A notice says that the work was retracted. */
  readonly retracted: readonly ChangedWork[];
  /** Also if the retraction was not known here. */
  readonly reinstated: readonly ChangedWork[];
  /** Corrections and expressions of concern, which do not retract the work. */
  readonly corrected: readonly (ChangedWork & { readonly notices: readonly string[] })[];
}

/** What a refresh compares of a work, from its record. */
export function stateOf(record: WorkRecord, isSaved: boolean, arxivVersion?: number): WorkState {
  return {
    ...(arxivVersion !== undefined && { arxivVersion }),
    title: record.title,
    doi: record.ids.doi,
    isOpen: record.access !== null && record.access !== 'closed',
    isSaved,
    version: record.version,
    isRetracted: retractionOf(record) !== undefined,
    notices: record.notices.map(({ kind, doi, source }) => `${kind} ${doi ?? source}`).toSorted(),
    publishedAs: record.relations
      .filter(({ kind }) => kind === 'is-preprint-of')
      .map(({ doi }) => doi)
      .toSorted(),
  };
}

const ORDER = ['submittedVersion', 'acceptedVersion', 'publishedVersion'];

export function publishedSince(earlier: WorkState, now: WorkState): string[] {
  return now.publishedAs.filter((doi) => !earlier.publishedAs.includes(doi));
}

/** Whether the current open copy is closer to the published text than the earlier one. */
export function isNewerVersion(earlier: WorkState, now: WorkState): boolean {
  return earlier.version !== null && ORDER.indexOf(now.version ?? '') > ORDER.indexOf(earlier.version);
}

export function revisedSince(earlier: WorkState, now: WorkState): number | undefined {
  const [before, after] = [earlier.arxivVersion, now.arxivVersion];
  return before !== undefined && after !== undefined && after > before ? after : undefined;
}

export function diffStates(before: States, after: States): RefreshDiff {
  const works = Object.entries(after)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([work, now]) => ({ now, earlier: before[work], entry: { work, title: now.title, doi: now.doi } }));
  const changed = works.flatMap(({ earlier, ...each }) => (earlier ? [{ ...each, earlier }] : []));
  const worksWhere = (fits: (now: WorkState, earlier: WorkState) => boolean) =>
    changed.filter(({ now, earlier }) => fits(now, earlier)).map(({ entry }) => entry);
  // Reported as retracted or reinstated.
  const isRetraction = (notice: string): boolean => /^(?:retraction|removal|reinstatement) /.test(notice);
  // A published version is reported with the work it belongs to.
  const versions = new Set(changed.flatMap(({ now }) => now.publishedAs));
  return {
    new_works: works
      .filter(({ now: { doi }, earlier }) => !earlier && !(doi !== null && versions.has(doi)))
      .map(({ entry }) => entry),
    opened: worksWhere((now, earlier) => now.isOpen && !earlier.isOpen),
    fetched: works.filter(({ now, earlier }) => now.isSaved && earlier?.isSaved !== true).map(({ entry }) => entry),
    new_versions: changed.flatMap(({ entry, now, earlier }) => {
      const arxiv_version = revisedSince(earlier, now) ?? null;
      const isNew = publishedSince(earlier, now).length > 0 || isNewerVersion(earlier, now) || arxiv_version !== null;
      return isNew ? [{ ...entry, published_as: now.publishedAs, arxiv_version }] : [];
    }),
    retracted: worksWhere((now, earlier) => now.isRetracted && !earlier.isRetracted),
    reinstated: worksWhere((now, earlier) => {
      const isNew = (notice: string): boolean =>
        notice.startsWith('reinstatement ') && !earlier.notices.includes(notice);
      return !now.isRetracted && (earlier.isRetracted || now.notices.some(isNew));
    }),
    corrected: changed.flatMap(({ entry, now, earlier }) => {
      const notices = now.notices.filter((notice) => !earlier.notices.includes(notice) && !isRetraction(notice));
      return notices.length === 0 ? [] : [{ ...entry, notices }];
    }),
  };
}

export function isEmptyDiff(diff: RefreshDiff): boolean {
  return Object.values(diff).every((works: readonly unknown[]) => works.length === 0);
}
