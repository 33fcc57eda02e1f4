export { doiPath, findDoi, normalizeDoi } from './doi.ts';
export { formatArxivId, parseArxivId } from './arxiv-id.ts';
export type { ArxivId } from './arxiv-id.ts';
export { normalizePmcid, normalizePmid, pmcidFromField, pmidFromField } from './pubmed-id.ts';
export {
  normalizeHalId,
  normalizeOpenAlexId,
  normalizeTopicId,
  normalizeZenodoId,
  osfGuidOf,
} from './repository-id.ts';
export { identify, keyOf, mergeIds, NO_IDS } from './work-ids.ts';
export type { WorkIds } from './work-ids.ts';
export { parseLicense, parseVersion } from './license.ts';
export type { HostType, License, LicenseSlug, Version } from './license.ts';
export { workFromIds } from './work.ts';
export type { Work, WorkLocation } from './work.ts';
export { maybe } from './maybe.ts';
export { lookupJson, lookupText } from './lookup.ts';
export type { Lookup, ProblemReason } from './lookup.ts';
export { parseOpenAlexWork } from './openalex-work.ts';
export { OPENALEX_SELECT } from './openalex-schema.ts';
export type { OpenAlexQuery, Subject } from './openalex-query.ts';
export { iterateOpenAlex } from './openalex.ts';
export type { OpenAlexBudget, OpenAlexEnd, OpenAlexEvent, OpenAlexOptions, OpenAlexState } from './openalex.ts';
export { workFromText } from './listed-work.ts';
export { workFromPayload } from './queued-work.ts';
export type { ListedWork } from './listed-work.ts';
export { parseWorks, readWorks } from './read-works.ts';
export type { ListFormat } from './read-works.ts';
