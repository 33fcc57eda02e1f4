export { ANALYSIS, analyse } from './analyse.ts';
