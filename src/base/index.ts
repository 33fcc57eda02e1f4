export { AppError, errorInfo, firstError, isAbort } from './errors.ts';
export type { ErrorInfo } from './errors.ts';
export { systemClock, wait } from './clock.ts';
export type { Clock, Timer } from './clock.ts';
export { addedJitterDelay, equalJitterDelay, spreadDelay } from './backoff.ts';
export type { Random } from './backoff.ts';
export { oncePer } from './once-per.ts';
export { canonicalJson, sha256, sha256File } from './hash.ts';
export {
  commitPart,
  partPath,
  removeDeadParts,
  renameFile,
  syncFiles,
  syncFolder,
  writeFileAtomic,
} from './atomic-file.ts';
export { Batcher } from './batcher.ts';
export { describeDiskError, freeSpace } from './disk-error.ts';
export { isDamaged, openOrSetAside, setAsideIfDamaged, setLinesAside } from './damaged-file.ts';
export type { Warn } from './damaged-file.ts';
export { FileLock } from './file-lock.ts';
export { JsonlWriter, parseJsonl, readJsonl, splitLines } from './jsonl.ts';
export type { BadLine, GoodLine } from './jsonl.ts';
export { fileInside } from './inside-folder.ts';
export { hostKey } from './host-key.ts';
export { packageRoot } from './package-root.ts';
export { KeyedLimiter, KeyedLines } from './keyed-limiter.ts';
export type { Line, Room, Slot } from './keyed-limiter.ts';
export { TokenBucket } from './token-bucket.ts';
export { visibleText } from './visible-text.ts';
export { findQuote, hasNumbersOf } from './find-quote.ts';
export type { QuotePlace } from './find-quote.ts';
