export { ANALYSIS, analyse } from './analyse.ts';
export { STOP_WORDS } from './stop-words.ts';
