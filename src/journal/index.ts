export type { JobLease, Journal, LogEntry } from './journal.ts';
export { LogFolder, manifestNames } from './log-folder.ts';
export type { LogFile, LogName, StageLog } from './log-folder.ts';
export { appendNow, isSameLog, linesOf, readAt, START } from './log-lines.ts';
export type { LogCursor } from './log-lines.ts';
export { FolderJournal } from './folder-journal.ts';
export { openPostgresJournal } from './postgres-journal.ts';
export { isFleetFolder, refuseFleetFolder } from './fleet-folder.ts';
