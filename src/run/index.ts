export { assembleDownload, checkDownload, checkFolder, dnsMappings, openAsking } from './download/open-download.ts';
export { checkStore } from './storage/check-store.ts';
export type { StoreCheck } from './storage/check-store.ts';
export { openStorage, openStored } from './storage/storage.ts';
export { findDatabase, openShared } from './storage/shared-corpus.ts';
export type { SharedCorpus } from './storage/shared-corpus.ts';
export { copyToDatabase, copyToFolder } from './storage/copy-corpus.ts';
export type { Copied } from './storage/copy-corpus.ts';
export { FleetIndex } from './fleet/fleet-index.ts';
export { mergeFolders } from './merge-folders.ts';
export type { Merged } from './merge-folders.ts';
export { configuredServices, hostKnowledge, hostRates, hostsNow } from './download/open-admission.ts';
export { askRecords, keptFromArxiv, noteArxivVersions } from './list/ask-records.ts';
export { enrichWorks, identifyPapers } from './papers/identify-papers.ts';
export type { IdentifiedPapers, RefusedDoi } from './papers/identify-papers.ts';
export { entryNames, entryRows, ManifestFolder } from './download/manifest-folder.ts';
export type { Asking, DownloadAssembly } from './download/open-download.ts';
export type { UnreadableEntry } from './list/search-titles.ts';
export {
  fleetLayer,
  openCorpusServer,
  openQueue,
  openQueueBeside,
  orchestratorOptions,
  queueLayer,
} from './queue/open-queue.ts';
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
} from './list/provider.ts';
export type { ListedTimes, WantedWorks, ZoteroVersions } from './list/provider.ts';
export type { Clocks, Runtime, WebTime } from './queue/open-queue.ts';
export { SIMULATED_CONTACT, simulatedLayer } from './list/simulated-web.ts';
export { corpusLayer } from './corpus-layer.ts';
export { eventStream } from './event-stream.ts';
export type { CorpusStageName } from './stages/run-prepared.ts';
export { askedFor, estimateWorks, findWorks, wantedDocuments } from './list/run-request.ts';
export type { Estimate, RunRequest } from './list/run-request.ts';
export { chunkFolder, chunkFormat, refreshPassages } from './make-index.ts';
export type { SearchEvent } from './make-index.ts';
export { isEmptyDiff } from './refresh/compare-states.ts';
export type { RefreshDiff } from './refresh/compare-states.ts';
export { refreshCorpus } from './refresh/refresh-corpus.ts';
export { repeatEvery } from './refresh/repeat.ts';
export { writeToZotero, ZOTERO_PARTS } from './zotero/write-back.ts';
export type { WrittenBack, ZoteroPart } from './zotero/write-back.ts';
export type { RefreshRequest } from './refresh/refresh-corpus.ts';
export { readRunFile } from './run-file.ts';
export type {
  CorpusEvent,
  FailedDocument,
  MessageEvent,
  RunAccount,
  RunAsked,
  RunFile,
  StageAccount,
  WorksAccount,
  SkippedFile,
} from './run-file.ts';
export { Run } from './run.ts';
export type { RunProgress } from './run.ts';
export {
  defaultStageOptions,
  denseSettings,
  modelClient,
  modelPrices,
  modelSettings,
  stageSettings,
} from './stages/prepare-stages.ts';
export type { StageCall } from './stages/prepare-stages.ts';
export { PARSE_STAGES, runStages } from './stages/run-stages.ts';
export type { ParseRequest, ParseStage } from './stages/run-stages.ts';
export { accountPath, discoverWorks, readDiscoveryAccount, readDiscoveryQuery } from './list/discover.ts';
export type { DiscoveryAccount } from './list/discover.ts';
