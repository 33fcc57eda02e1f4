export { ANALYSIS, analyse, BM25, STOP_WORDS } from './analyse.ts';
