// import … from 'docstokg': a corpus folder as one object.
export { AppError } from '../base/index.ts';
export { Corpus, EXPORT_FORMATS, openCorpus } from '../corpus/index.ts';
export type {
  CorpusEvent,
  CorpusGraph,
  CorpusOptions,
  Estimate,
  ExportFormat,
  ExportRequest,
  GivenNote,
  GraphRequest,
  Note,
  NotesRequest,
  ParseRequest,
  RefreshDiff,
  RefreshRequest,
  Run,
  RunAccount,
  RunProgress,
  RunRequest,
  SearchEvent,
} from '../corpus/index.ts';
export type { CitedHit, PassageFilter, SearchRequest } from '../library/index.ts';
