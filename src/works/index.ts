export { doiPath, findDoi, normalizeDoi } from './ids/doi.ts';
export { formatArxivId, parseArxivId } from './ids/arxiv-id.ts';
export type { ArxivId } from './ids/arxiv-id.ts';
export {
  normalizeHalId,
  normalizeOpenAlexId,
  normalizePmcid,
  normalizePmid,
  normalizeZenodoId,
  osfGuidOf,
  pmcidFromField,
  pmidFromField,
} from './ids/catalogue-ids.ts';
export { identify, keyOf, mergeIds, NO_IDS } from './ids/work-ids.ts';
export type { WorkIds } from './ids/work-ids.ts';
export { parseLicense, parseVersion } from './license.ts';
export type { HostType, License, Version } from './license.ts';
export { namedWork, workFromIds } from './work.ts';
export type { Work, WorkLocation } from './work.ts';
export { lenient, maybe, objects, text, validItems } from './maybe.ts';
export { lookupJson, lookupText } from './lookup.ts';
export type { Lookup } from './lookup.ts';
export { parseOpenAlexWork } from './openalex/parse-work.ts';
export { OPENALEX_SELECT } from './openalex/schema.ts';
export { filterFor, findOpenAlexId, parseOpenAlexUrl } from './openalex/query.ts';
export type { OpenAlexQuery } from './openalex/query.ts';
export { iterateOpenAlex, sampleOpenAlex } from './openalex/list-works.ts';
export type {
  OpenAlexEnd,
  OpenAlexEvent,
  OpenAlexOptions,
  OpenAlexSample,
  OpenAlexState,
} from './openalex/list-works.ts';
export { citedLine, workFromText } from './lists/listed-work.ts';
export { workFromPayload } from './queued-work.ts';
export type { CitedWork, ListedWork } from './lists/listed-work.ts';
export { reviewedEntry } from './lists/reviewed-entry.ts';
export { listFormatOf, parseWorks, readWorks } from './lists/read-works.ts';
export type { ListFormat } from './lists/read-works.ts';
export { parseOpenAlexRecord } from './openalex/parse-record.ts';
export { noticesGiven, parseCrossrefRecord } from './record/crossref-record.ts';
export { cslItem, namesOf, recordFromCsl } from './record/csl.ts';
export { mergeRecords, withProvenance } from './record/merge-records.ts';
export { parsePersonName } from './record/person-name.ts';
export { emptyRecord, retractionOf, yearOf } from './record/record.ts';
export type { Author, Notice, NoticeAbout, WorkRecord } from './record/record.ts';
export { bestFirst, findVersions, groupsOf, versionKeys } from './record/versions.ts';
export type { VersionLink } from './record/versions.ts';
export { apaCitation } from './record/apa.ts';
export { bibtexEntry, citationKey } from './lists/write-bibtex.ts';
export { risEntry } from './lists/write-ris.ts';
export { parseZotero, readZotero } from './lists/zotero.ts';
export { readCsv } from './lists/csv-records.ts';
export { readRis } from './lists/tagged-records.ts';
export { readRetractionWatch } from './record/retraction-watch.ts';
