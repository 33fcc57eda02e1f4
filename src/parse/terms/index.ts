export { ANALYSIS, analyse, STOP_WORDS } from './analyse.ts';
