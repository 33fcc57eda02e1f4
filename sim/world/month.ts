import { stream } from '../random/stream.ts';
import { numberOf } from './identifiers.ts';
import type { Location, Work, WorldParameters } from './types.ts';
import type { WorkCore } from './work.ts';

/** A publisher's notice about a work, as in Crossref. */
export interface Update {
  readonly type: string;
  /** DOI of the notice or, in `updateTo`, of the work it concerns. */
  readonly doi: string;
  readonly date: string;
  readonly source: 'publisher' | 'retraction-watch';
}

export interface Said {
  readonly updatedBy?: readonly Update[];
  readonly updateTo?: readonly Update[];
  /** DOI under which a preprint was published. */
  readonly publishedAs?: string;
  /** An irrelevant change, such as new counts, that needs no report. */
  readonly touched?: true;
}

/**
 * What happens to a work during a world's month. `appears`: new; `revised`: a new arXiv version; `opens`: closed
 * before; `published`: a preprint with a version of record; `improved`: a repository copy replaced by the accepted
 * version; `retracted`: in OpenAlex and Crossref; `retracted-crossref`, `retracted-watch`: only in Crossref or
 * Retraction Watch; `retracted-notice`: only in the notice, which is a separate work; `reinstated`: retracted before.
 * The others are not retractions.
 */
export type MonthEvent =
  | 'nothing'
  | 'appears'
  | 'opens'
  | 'published'
  | 'improved'
  | 'revised'
  | 'retracted'
  | 'retracted-crossref'
  | 'retracted-watch'
  | 'retracted-notice'
  | 'reinstated'
  | 'corrected'
  | 'of-concern'
  | 'corrected-watch'
  | 'touched';

export type Moment = 'before' | 'after';

const BEFORE = '2025-06-01';
const AFTER = '2026-02-03';
const NOTICED: readonly MonthEvent[] = [
  'retracted',
  'retracted-crossref',
  'retracted-watch',
  'reinstated',
  'corrected',
  'of-concern',
  'corrected-watch',
];

/** The last tenth of the works is new. Works cite only lower numbers, so no old work cites them. */
function firstNew({ works }: Pick<WorldParameters, 'works'>): number {
  return Math.ceil(works * 0.9);
}

/** The new work that is the retraction notice of another, if any. */
function noticeOf(target: number, parameters: WorldParameters): number | undefined {
  const notice = firstNew(parameters) + target;
  return target % 3 === 1 && notice < parameters.works ? notice : undefined;
}

function isEligible(work: WorkCore | undefined): boolean {
  // Twins share a DOI, so a notice would apply to both.
  return (
    work !== undefined &&
    work.agency === 'crossref' &&
    work.index % 50 !== 6 &&
    work.duplicateOf === null &&
    !work.isXpac &&
    !work.isRetracted
  );
}

/** What happens to a work; `coreOf` returns other works for notices. */
export function eventOf(work: WorkCore, parameters: WorldParameters, coreOf: (index: number) => WorkCore): MonthEvent {
  const { index, archetype } = work;
  if (index >= firstNew(parameters)) return 'appears';
  if (work.arxivId !== null) return stream(parameters.seed, 'revised', index).chance(0.5) ? 'revised' : 'nothing';
  if (!isEligible(work)) return 'nothing';
  const notice = noticeOf(index, parameters);
  if (notice !== undefined && isEligible(coreOf(notice))) return 'retracted-notice';
  const draw = stream(parameters.seed, 'month', index);
  if (['A1', 'A2', 'A3'].includes(archetype) && draw.chance(0.2)) return 'opens';
  if (work.type === 'preprint' && draw.chance(0.5)) return 'published';
  if (archetype === 'A3' && draw.chance(0.5)) return 'improved';
  if (draw.chance(0.3)) return draw.pick(NOTICED);
  return draw.chance(0.3) ? 'touched' : 'nothing';
}

/** A work before or after the month; undefined if it has not appeared yet. */
export function workAt(
  work: Work,
  moment: Moment,
  { event, about }: { readonly event: MonthEvent; readonly about: WorkCore | undefined },
): Work | undefined {
  const number = numberOf(work.index);
  const update = (type: string, date: string, source: Update['source'] = 'publisher'): Update => ({
    type,
    doi: `10.5555/notice.${number}.${type.replaceAll('_', '-')}`,
    date,
    source,
  });
  const saying = (said: Said): Work => ({ ...work, said });
  if (event === 'reinstated') return saying({ updatedBy: [update('retraction', BEFORE)] });
  if (moment === 'before') {
    if (event === 'appears') return undefined;
    if (event === 'opens') return closed(work);
    return event === 'improved' ? submitted(work) : work;
  }
  switch (event) {
    case 'appears':
      return about?.doi
        ? saying({ updateTo: [{ type: 'retraction', doi: about.doi, date: AFTER, source: 'publisher' }] })
        : work;
    case 'published':
      return saying({ publishedAs: `10.5555/published.${number}` });
    case 'revised':
      return { ...work, arxivVersions: work.arxivVersions + 1 };
    case 'retracted':
      return { ...saying({ updatedBy: [update('retraction', AFTER)] }), isRetracted: true };
    case 'retracted-crossref':
      return saying({ updatedBy: [update('retraction', AFTER, 'retraction-watch')] });
    case 'corrected':
      return saying({ updatedBy: [update('correction', AFTER)] });
    case 'of-concern':
      return saying({ updatedBy: [update('expression_of_concern', AFTER)] });
    case 'touched':
      return saying({ touched: true });
    case 'opens':
    case 'improved':
    case 'retracted-watch':
    case 'retracted-notice':
    case 'corrected-watch':
    case 'nothing':
      return work;
  }
}

export function aboutOf(
  index: number,
  parameters: WorldParameters,
  coreOf: (index: number) => WorkCore,
): WorkCore | undefined {
  const target = index - firstNew(parameters);
  if (target < 0 || noticeOf(target, parameters) !== index) return undefined;
  const core = coreOf(target);
  return eventOf(core, parameters, coreOf) === 'retracted-notice' ? core : undefined;
}

/** Only the publisher's page, behind a wall. */
function closed(work: Work): Work {
  if (work.doiTarget === null) return work;
  const page: Location = {
    ...work.doiTarget,
    kind: 'landing',
    visibleIn: ['openalex', 'doi'],
    isOa: false,
    license: null,
    behaviour: { kind: 'wall', how: 'paywall' },
    template: 'js-only',
    file: null,
  };
  return { ...work, hasContent: { pdf: false, tei: false }, locations: [page], doiTarget: page };
}

function submitted(work: Work): Work {
  const locations = work.locations.map((location) =>
    location.isOa && location.version === 'acceptedVersion'
      ? { ...location, version: 'submittedVersion' as const }
      : location,
  );
  return { ...work, locations };
}

/** `retraction_watch.csv` of a world after its month, in Crossref's format. */
export function retractionWatchCsv(works: Iterable<{ readonly work: Work; readonly event: MonthEvent }>): string {
  const natures: Partial<Record<MonthEvent, string>> = {
    'retracted-watch': 'Retraction',
    'retracted-crossref': 'Retraction',
    reinstated: 'Reinstatement',
    'corrected-watch': 'Correction',
  };
  const rows = [...works].flatMap(({ work, event }) => {
    const nature = natures[event];
    if (nature === undefined) return [];
    const kind = nature === 'Retraction' ? 'retraction' : nature.toLowerCase();
    const doi = `10.5555/notice.${numberOf(work.index)}.${kind}`;
    return [`${work.index},2/3/2026 0:00,${doi},"${work.doi}",0,${nature}`];
  });
  return [
    'Record ID,RetractionDate,RetractionDOI,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature',
    ...rows,
    '',
  ].join('\n');
}
