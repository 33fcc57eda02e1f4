import { stream } from '../random/stream.ts';
import { numberOf } from './identifiers.ts';
import type { Location, Work, WorldParameters } from './types.ts';
import type { WorkCore } from './work.ts';

/** What a publisher says about a work after it appeared, as Crossref passes it on. */
export interface Update {
  readonly type: string;
  /** The DOI of the notice, or, in `updateTo`, of the work that it is about. */
  readonly doi: string;
  readonly date: string;
  readonly source: 'publisher' | 'retraction-watch';
}

/** What has been said about a work, where the month has touched it. */
export interface Said {
  readonly updatedBy?: readonly Update[];
  readonly updateTo?: readonly Update[];
  /** The DOI under which a preprint was published. */
  readonly publishedAs?: string;
  /** Changed, but by nothing that anybody has to be told: counted again, written anew. */
  readonly touched?: true;
}

/**
 * What happens to a work between two states of a world a month apart.
 *
 * `appears` is not there before; `revised` gets one version more at arXiv; `opens` is closed before; `published` is a preprint that gets a version of record, `improved` a copy in a
 * repository that is replaced by the accepted one; `retracted` is told by OpenAlex and Crossref, `retracted-crossref` by Crossref
 * alone, `retracted-watch` by Retraction Watch alone, `retracted-notice` only by the notice, which is a work of its own;
 * `reinstated` was retracted before; the others take nothing back.
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

/** How a world of two states is looked at; without a month a world is what it always was. */
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

/** The last tenth of the works is new; what a work cites has a smaller number, so nothing old cites them. */
function firstNew({ works }: Pick<WorldParameters, 'works'>): number {
  return Math.ceil(works * 0.9);
}

/** The new work that tells of the retraction of another one, if there is one. */
function noticeOf(target: number, parameters: WorldParameters): number | undefined {
  const notice = firstNew(parameters) + target;
  return target % 3 === 1 && notice < parameters.works ? notice : undefined;
}

function isEligible(work: WorkCore | undefined): boolean {
  // Twins share a DOI: what is said of it would be said of both.
  return (
    work !== undefined &&
    work.agency === 'crossref' &&
    work.index % 50 !== 6 &&
    work.duplicateOf === null &&
    !work.isXpac &&
    !work.isRetracted
  );
}

/** What happens to a work; `coreOf` gives other works where one tells of another. */
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

/** A work as it is at one of the two moments; undefined where it is not there yet. */
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
  const isAfter = moment === 'after';
  const saying = (said: Said): Work => ({ ...work, said });
  switch (event) {
    case 'appears':
      if (!isAfter) return undefined;
      return !about?.doi
        ? work
        : saying({ updateTo: [{ type: 'retraction', doi: about.doi, date: AFTER, source: 'publisher' }] });
    case 'opens':
      return isAfter ? work : closed(work);
    case 'published':
      return isAfter ? saying({ publishedAs: `10.5555/published.${number}` }) : work;
    case 'revised':
      return isAfter ? { ...work, arxivVersions: work.arxivVersions + 1 } : work;
    case 'improved':
      return isAfter ? work : submitted(work);
    case 'retracted':
      return isAfter ? { ...saying({ updatedBy: [update('retraction', AFTER)] }), isRetracted: true } : work;
    case 'retracted-crossref':
      return isAfter ? saying({ updatedBy: [update('retraction', AFTER, 'retraction-watch')] }) : work;
    case 'reinstated':
      return saying({ updatedBy: [update('retraction', BEFORE)] });
    case 'corrected':
      return isAfter ? saying({ updatedBy: [update('correction', AFTER)] }) : work;
    case 'of-concern':
      return isAfter ? saying({ updatedBy: [update('expression_of_concern', AFTER)] }) : work;
    case 'touched':
      return isAfter ? saying({ touched: true }) : work;
    case 'retracted-watch':
    case 'retracted-notice':
    case 'corrected-watch':
    case 'nothing':
      return work;
  }
}

/** The work that a new one is the notice of. */
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

/** Only the publisher's page, with a wall in front of it. */
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

/** `retraction_watch.csv` of a world after its month, as Crossref publishes it. */
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
