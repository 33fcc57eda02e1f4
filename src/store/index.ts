export { CorpusStore, refuseFleetFolder, removeStore } from './corpus-store.ts';
export type { StoreOptions } from './corpus-store.ts';
export { CHOICES, LABELS, PHASES, verdictOf } from './decisions.ts';
export type { Choice, Label, Phase, Protocol, SavedSet, ScreeningDecision, Standing } from './decisions.ts';
export { folded } from './folded.ts';
export { isManifestRow } from './line-reader.ts';
export { isRecord } from './record-rows.ts';
export { Records } from './records.ts';
