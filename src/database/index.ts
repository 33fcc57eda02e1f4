export { CorpusStore, hasStore, parseStored, removeStore } from './corpus-store.ts';
export { CHOICES, LABELS, PHASES, verdictOf } from './decisions.ts';
export type { Choice, Label, Phase, Protocol, SavedSet, ScreeningDecision, Standing } from './decisions.ts';
export type { HostRow } from './line-reader.ts';
export { isFailure, isRefusal, STEPS } from './line-reader.ts';
export { isRecord } from './record-rows.ts';
export { hasOutcome, lastOutcome, manifestRows, Records, savedOutcomes } from './records.ts';
export type { LastRow } from './records.ts';
