export { decoded, doiPath, normalizeDoi } from '../base/index.ts';
export {
  formatArxivId,
  parseArxivId,
  normalizeHalId,
  normalizeOpenAlexId,
  normalizePmcid,
  normalizePmid,
  normalizeZenodoId,
  osfGuidOf,
  pmcidFromField,
  pmidFromField,
  identify,
  keyOf,
  mergeIds,
  NO_IDS,
} from './ids.ts';
export type { ArxivId, WorkIds } from './ids.ts';
export { parseLicense, parseVersion } from './license.ts';
export type { HostType, License, Version } from './license.ts';
export { namedWork, workFromIds } from './work.ts';
export type { Work, WorkLocation } from './work.ts';
export { lenient, maybe, objects, text, validItems, lookupJson, lookupParsed } from './lookup.ts';
export type { Lookup } from './lookup.ts';
export { parseOpenAlexWork, OPENALEX_SELECT, parseOpenAlexRecord } from './openalex/parse-work.ts';
export { filterFor, findOpenAlexId, iterateOpenAlex, parseOpenAlexUrl, sampleOpenAlex } from './openalex/list-works.ts';
export type { OpenAlexEnd, OpenAlexOptions, OpenAlexSample, OpenAlexState } from './openalex/list-works.ts';
export type { OpenAlexQuery, WorkConditions } from './openalex/list-works.ts';
export { parseBooleanQuery } from './boolean-query.ts';
export type { BooleanQuery, QueriedWork } from './boolean-query.ts';
export { citedLine, citedWork, workFromText, workFromPayload } from './lists/listed-work.ts';
export type { CitedWork, ListedWork } from './lists/listed-work.ts';
export { listFormatOf, parseWorks, readWorks } from './lists/read-works.ts';
export type { ListFormat } from './lists/read-works.ts';
export { noticesGiven, parseCrossrefRecord, readRetractionWatch } from './record/crossref-record.ts';
export { cslItem, namesOf, parsePersonName, apaCitation, bibtexEntry, citationKey, risEntry } from './record/cite.ts';
export { mergeRecords, withProvenance, emptyRecord, plainText, retractionOf, yearOf } from './record/record.ts';
export type { Author, NoticeAbout, WorkRecord } from './record/record.ts';
export { bestFirst, findVersions, groupsOf, versionKeys } from './record/versions.ts';
export type { VersionLink } from './record/versions.ts';
export { parseZotero, readZotero } from './lists/zotero.ts';
export { ZoteroLibrary } from './lists/zotero-library.ts';
export type { ZoteroChange, ZoteroItem } from './lists/zotero-library.ts';
export { readCsv, readTable, readTagged, readUtf8, RIS, separatorIn } from './lists/records.ts';
