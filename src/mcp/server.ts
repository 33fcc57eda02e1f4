import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import { createMcpHandler, McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

import { AppError, errorInfo } from '../base/index.ts';
import type { Tokenizer } from '../parse/index.ts';
import { openTokenizer } from '../parse/index.ts';
import { NOTICE, packAnswer } from './answer.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { listDocuments, readDocumentResource } from './resources.ts';
import type { McpRun, Tool } from './tool.ts';
import { askTool, checkQuotesTool } from './tools/ask.ts';
import { graphTool } from './tools/graph.ts';
import { decideTool, screeningTool } from './tools/screening.ts';
import { searchTool } from './tools/search.ts';
import { tableTool } from './tools/table.ts';
import { citeTool, figuresTool, readTool, relatedTool } from './tools/work.ts';
import { accountTool, worksTool } from './tools/works.ts';

const TOOLS: readonly Tool[] = [
  searchTool, askTool, checkQuotesTool, tableTool, readTool, worksTool, citeTool, accountTool, relatedTool, graphTool,
  figuresTool, screeningTool,
]; // prettier-ignore

export interface McpOptions {
  readonly runs: readonly McpRun[];
  readonly version: string;
  /** Offers the tools that log decisions. */
  readonly allowControl?: boolean;
  /** Receives internal errors; invalid requests are only answered. */
  readonly tell?: (message: string) => void;
}

/** No tool accesses external services; those that log decisions can be undone. */
const HINTS = { destructiveHint: false, openWorldHint: false };

/** Creates an MCP server for one connection or request. */
async function createCorpusServer(options: McpOptions): Promise<McpServer> {
  const { runs, version } = options;
  const tokenizer = await openTokenizer('cl100k');
  const server = new McpServer(
    { name: 'docstokg', title: 'DocsToKG corpora', version },
    { capabilities: { tools: {}, resources: {} }, instructions: instructionsFor(runs) },
  );
  const parts = { ...options, tokenizer };
  for (const each of TOOLS) registerTool(server, each, parts, { ...HINTS, readOnlyHint: true, idempotentHint: true });
  if (options.allowControl === true)
    registerTool(server, decideTool, parts, { ...HINTS, readOnlyHint: false, idempotentHint: false });
  registerDocuments(server, { ...options, tokenizer });
  return server;
}

/** Handles one stateless MCP request over HTTP. The caller checks authentication. */
export function createMcp(options: McpOptions): {
  readonly fetch: (request: Request) => Promise<Response>;
} & AsyncDisposable {
  const { tell } = options;
  const handler = createMcpHandler(() => createCorpusServer(options), {
    ...(tell && { onerror: (error: Error) => tell(error.message) }),
  });
  return {
    fetch: (request) => handler.fetch(request),
    [Symbol.asyncDispose]: () => handler.close(),
  };
}

/** Serves MCP over stdio until stdin ends or the signal aborts. */
export async function serveOnStdio(options: McpOptions, signal: AbortSignal): Promise<void> {
  const { tell } = options;
  const ended = Promise.withResolvers<void>();
  for (const name of ['end', 'close', 'error']) process.stdin.once(name, () => ended.resolve());
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  const handle = serveStdio(() => createCorpusServer(options), {
    ...(tell && { onerror: (error: Error) => tell(error.message) }),
  });
  await ended.promise;
  await handle.close();
}

function instructionsFor(runs: readonly McpRun[]): string {
  const names = runs.map(({ id }) => id).join(', ');
  return `Corpora of scholarly works with their full texts: ${names}. Start with search; read, figures, related and cite take the ids it returns; account shows what is missing. ${NOTICE}`;
}

type Parts = McpOptions & { readonly tokenizer: Tokenizer };

function registerTool(server: McpServer, each: Tool, { runs, tokenizer, tell }: Parts, hints: ToolAnnotations): void {
  server.registerTool(
    each.name,
    {
      title: each.title,
      description: each.description,
      inputSchema: each.input,
      outputSchema: each.output,
      annotations: { title: each.title, ...hints },
    },
    async (asked: Readonly<Record<string, unknown>>, context): Promise<CallToolResult> => {
      try {
        const draft = await each.ask(asked, runs, context.mcpReq.signal);
        const cursor = draft.cursorAfter ? undefined : (asked['cursor'] as string | undefined);
        const place = readCursor(cursor, asked, { at: 0, within: 0 });
        const { structured, content } = await packAnswer(draft, {
          place,
          maxTokens: Number(asked['max_tokens']),
          tokenizer,
          cursorAt: (next) => writeCursor(next, asked),
        });
        return { content: [{ type: 'text', text: content }], structuredContent: structured };
      } catch (error) {
        return refusal(error, tell);
      }
    },
  );
}

const MOST_MESSAGE = 1_000;

/** Invalid requests become an answer the assistant can act on; internal errors are also logged. */
function refusal(error: unknown, tell: McpOptions['tell']): CallToolResult {
  const { code, message } = errorInfo(error);
  const hint = error instanceof AppError && error.hint ? ` Hint: ${error.hint}.` : '';
  if (!(error instanceof AppError)) tell?.(`${code}: ${message}`);
  const text = `${code}: ${message}.${hint}`.slice(0, MOST_MESSAGE);
  return { isError: true, content: [{ type: 'text', text }] };
}

function registerDocuments(server: McpServer, { runs, tokenizer }: Parts): void {
  server.registerResource(
    'document',
    new ResourceTemplate('docstokg://{run}/documents/{document}', {
      list: async () => ({ resources: await listDocuments(runs) }),
    }),
    { title: 'Text of a work', description: 'A paper as Markdown, from the start.', mimeType: 'text/markdown' },
    async (uri, variables) => {
      const named = (name: string): string => {
        const value = variables[name];
        return decodeURIComponent(String(Array.isArray(value) ? value[0] : value));
      };
      try {
        const text = await readDocumentResource({ run: named('run'), document: named('document') }, runs, tokenizer);
        return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
      } catch (error) {
        if (error instanceof AppError || error instanceof URIError) throw new ResourceNotFoundError(uri.href);
        throw error;
      }
    },
  );
}
