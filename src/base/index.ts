export {
  AppError,
  errorInfo,
  firstError,
  hasCode,
  isAbort,
  loggedError,
  describeDiskError,
  describeFileError,
  isUnwritable,
  freeSpace,
  sqliteCode,
} from './errors.ts';
export type { ErrorInfo } from './errors.ts';
export { systemClock, wait, backoffDelay } from './clock.ts';
export type { Clock, Timer, Random } from './clock.ts';
export { forEachOf, oncePer } from './once-per.ts';
export { canonicalJson, fieldsOf, parseJson, readFields, sha256, sha256File } from './hash.ts';
export {
  AtomicText,
  commitPart,
  partPath,
  removeDeadParts,
  renameFile,
  syncFiles,
  syncFolder,
  writeFileAtomic,
  fileInside,
  filesBelow,
  isProcessAlive,
  packageRoot,
  packageVersion,
  asideName,
  emitWarning,
  moveForeignAside,
  replaceFile,
  writeOwnFile,
} from './files.ts';
export { installCommand } from './install-command.ts';
export { Batcher } from './batcher.ts';
export { CacheFile } from './cache-file.ts';
export {
  inTransaction,
  isDamaged,
  markOf,
  markPragma,
  openOrSetAside,
  openOwnDatabase,
  setAsideIfDamaged,
} from './damaged-file.ts';
export type { Warn } from './damaged-file.ts';
export { FileLock } from './file-lock.ts';
export { cutTornLine, JsonlWriter, parseJsonl, readJsonl, splitLines } from './jsonl.ts';
export { decoded, doiPath, findDoi, normalizeDoi } from './doi.ts';
export { hostKey } from './host-key.ts';
export { KeyedLimiter, KeyedLines, TokenBucket } from './keyed-limiter.ts';
export type { Line, Room } from './keyed-limiter.ts';
export {
  csvLine,
  editDistance,
  findQuote,
  foldCase,
  hasNumbersOf,
  missingNumber,
  quantitiesIn,
  lettersOf,
  meaningsOf,
  plural,
  visibleText,
  wordsIn,
  duration,
} from './text/index.ts';
export type { Quantity } from './text/index.ts';
export { parseYaml } from './yaml.ts';
