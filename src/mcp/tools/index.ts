import type { Tool } from '../tool.ts';
import { accountTool } from './account.ts';
import { askTool, checkQuotesTool } from './ask.ts';
import { citeTool } from './cite.ts';
import { figuresTool } from './figures.ts';
import { graphTool } from './graph.ts';
import { readTool } from './read.ts';
import { relatedTool } from './related.ts';
import { decideTool, screeningTool } from './screening.ts';
import { searchTool } from './search.ts';
import { tableTool } from './table.ts';
import { worksTool } from './works.ts';

/** Tools that change something, offered only where control is allowed. */
export const CONTROL_TOOLS: readonly Tool[] = [decideTool];

/** Tools that only read. */
export const TOOLS: readonly Tool[] = [
  searchTool,
  askTool,
  checkQuotesTool,
  tableTool,
  readTool,
  worksTool,
  citeTool,
  accountTool,
  relatedTool,
  graphTool,
  figuresTool,
  screeningTool,
];
