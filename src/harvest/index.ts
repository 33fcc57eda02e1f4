export { checkFolder } from './open-download.ts';
export { checkStore } from './shared/check-store.ts';
export type { StoreCheck } from './shared/check-store.ts';
export { openShared } from './shared/open-shared.ts';
export type { Shared } from './shared/open-shared.ts';
export type { SharedFiles } from './shared/shared-files.ts';
export { mergeFolders } from './merge-folders.ts';
export type { Merged } from './merge-folders.ts';
export { hostKnowledge, hostsNow } from './hosts-now.ts';
export { askRecords } from './ask-records.ts';
export { askArxivVersions, keptFromArxiv } from './ask-arxiv.ts';
export { enrichWorks } from './papers/enrich-works.ts';
export { identifyPapers } from './papers/identify-papers.ts';
export type { IdentifiedPapers, RefusedDoi } from './papers/identify-papers.ts';
export { openInspector } from './inspector.ts';
export { ManifestFolder } from './ledger/manifest-folder.ts';
export type { ManifestOptions } from './ledger/manifest-folder.ts';
export { assembleDownload, checkDownload, configuredServices, openAsking } from './open-download.ts';
export type { Asking, DownloadAssembly, DownloadParts, WorkPlans } from './open-download.ts';
export { dnsMappings } from './open-download.ts';
export type { UnreadableEntry } from './search-titles.ts';
export { fleetLayer, openQueue, openQueueBeside, orchestratorOptions, queueLayer } from './queue/open-queue.ts';
export {
  asksOpenAlex,
  checkWanted,
  listingPath,
  namedWorks,
  wantedListings,
  wantedWorks,
  zoteroPath,
} from './provider.ts';
export { ZoteroVersions } from './provider.ts';
export { hostRates } from './open-admission.ts';
export type { WantedWorks } from './provider.ts';
export type { Runtime } from './queue/open-queue.ts';
export { simulatedLayer, simulatedWebLayer } from './simulated-web.ts';
export { csvLine } from './ledger/csv.ts';
export { countingRepeats } from './provider.ts';
