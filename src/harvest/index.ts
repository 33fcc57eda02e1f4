export { assembleDownload, checkDownload, checkFolder, dnsMappings, openAsking } from './open-download.ts';
export { checkStore, openShared } from './shared/shared-files.ts';
export type { StoreCheck, Shared } from './shared/shared-files.ts';
export { mergeFolders } from './merge-folders.ts';
export type { Merged } from './merge-folders.ts';
export { configuredServices, hostKnowledge, hostRates, hostsNow } from './open-admission.ts';
export { askRecords, keptFromArxiv, noteArxivVersions } from './ask-records.ts';
export { enrichWorks, identifyPapers } from './papers/identify-papers.ts';
export type { IdentifiedPapers, RefusedDoi } from './papers/identify-papers.ts';
export { entryNames, entryRows, ManifestFolder } from './ledger/manifest-folder.ts';
export type { Asking, DownloadAssembly } from './open-download.ts';
export type { UnreadableEntry } from './search-titles.ts';
export { fleetLayer, openQueue, openQueueBeside, orchestratorOptions, queueLayer } from './queue/open-queue.ts';
export {
  asksOpenAlex,
  checkWanted,
  countingRepeats,
  countListed,
  namedWorks,
  openAlexAccess,
  wantedListings,
  wantedWorks,
  zoteroVersions,
} from './provider.ts';
export type { ListedTimes, WantedWorks, ZoteroVersions } from './provider.ts';
export type { Clocks, Runtime, WebTime } from './queue/open-queue.ts';
export { SIMULATED_CONTACT, simulatedLayer } from './simulated-web.ts';
