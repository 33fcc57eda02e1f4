import type { CallToolResult, Resource, ToolAnnotations } from '@modelcontextprotocol/server';
import { createMcpHandler, McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

import * as z from 'zod';

import type { Clock } from '../base/index.ts';
import { AppError, errorInfo, visibleText } from '../base/index.ts';
import { textOf } from '../corpus/index.ts';
import type { Tokenizer } from '../parse/index.ts';
import { openTokenizer } from '../parse/index.ts';
import type { JsonObject } from './answer.ts';
import { moreResults, NOTICE, packAnswer, readCursor, writeCursor } from './answer.ts';
import type { AskedRun, Question } from '../questions/index.ts';
import { decideQuestion, noteQuestion, QUESTIONS } from '../questions/index.ts';
import { Tasks } from './tasks.ts';

const DEFAULT_TOKENS = 8_000;
const PARAMETERS = {
  run: z.string().max(300).optional().describe('Name of the corpus; default: all.'),
  max_tokens: z.int().min(500).max(20_000).default(DEFAULT_TOKENS).describe('Maximum length of the answer in tokens.'),
  cursor: z.string().max(1_000).optional().describe('next_cursor of the previous answer.'),
};

export interface McpOptions {
  readonly runs: readonly AskedRun[];
  readonly version: string;
  /** Offers the tools that log decisions and notes. */
  readonly allowControl?: boolean;
  /** By which long calls become tasks; the system's by default. */
  readonly clock?: Clock;
  /** Receives internal errors; invalid requests are only answered. */
  readonly tell?: (message: string) => void;
}

/** No tool accesses external services; logged decisions can be undone. */
const READS = { readOnlyHint: true, openWorldHint: false };
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

/** For one connection or request. */
async function createCorpusServer(options: McpOptions, tasks: Tasks): Promise<McpServer> {
  const { runs, version } = options;
  const tokenizer = await openTokenizer('cl100k');
  const server = new McpServer(
    { name: 'docstokg', title: 'DocsToKG corpora', version },
    { capabilities: { tools: {}, resources: {} }, instructions: instructionsFor(runs) },
  );
  tasks.serve(server);
  const parts = { ...options, tokenizer, tasks };
  for (const each of QUESTIONS) registerTool(server, each, parts, READS);
  if (options.allowControl === true)
    for (const each of [decideQuestion, noteQuestion]) registerTool(server, each, parts, WRITES);
  registerDocuments(server, parts);
  return server;
}

/** Handles one stateless MCP request over HTTP. The caller checks authentication. */
export function createMcp(options: McpOptions) {
  const tasks = new Tasks(options.clock);
  const handler = createMcpHandler(() => createCorpusServer(options, tasks), errorsTo(options.tell));
  return {
    fetch: (request: Request): Promise<Response> => handler.fetch(request),
    [Symbol.asyncDispose]: async () => {
      tasks[Symbol.dispose]();
      await handler.close();
    },
  };
}

/** Serves MCP over stdio until stdin ends or the signal aborts. */
export async function serveOnStdio(options: McpOptions, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<void>();
  for (const name of ['end', 'close', 'error']) process.stdin.once(name, () => ended.resolve());
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  using tasks = new Tasks(options.clock);
  const handle = serveStdio(() => createCorpusServer(options, tasks), errorsTo(options.tell));
  await ended.promise;
  await handle.close();
}

function errorsTo(tell: McpOptions['tell']) {
  return tell ? { onerror: (error: Error) => tell(error.message) } : {};
}

function instructionsFor(runs: readonly AskedRun[]): string {
  const names = runs.map(({ id }) => id).join(', ');
  return `Corpora of scholarly works with their full texts: ${names}. Start with search; read, figures, related and cite take the ids it returns; account shows what is missing. ${NOTICE}`;
}

type Parts = McpOptions & { readonly tokenizer: Tokenizer; readonly tasks: Tasks };

function registerTool(
  server: McpServer,
  each: Question,
  { runs, tokenizer, tell, tasks }: Parts,
  hints: ToolAnnotations,
): void {
  const { name, title, description, list, text, omitted, line } = each;
  const parameters = { ...each.input.shape, ...PARAMETERS };
  const names = Object.keys(parameters).join(', ');
  const answered = async (asked: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> => {
    const answer = await each.ask(asked, runsNamed(asked['run'] as string, runs), signal);
    const cursor = answer.cursorAfter ? undefined : (asked['cursor'] as string | undefined);
    const draft = {
      ...answer,
      head: answer.head as JsonObject,
      list,
      items: answer.items.map((whole) =>
        Object.fromEntries(Object.entries(whole).filter(([field]) => !omitted.includes(field))),
      ),
      text,
      line: (data: JsonObject) => line(data as never),
    };
    const { structured, content } = await packAnswer(draft, {
      place: readCursor(cursor, asked),
      maxTokens: Number(asked['max_tokens']),
      tokenizer,
      cursorAt: (next) => writeCursor(next, asked),
    });
    return { content: [{ type: 'text', text: content }], structuredContent: structured };
  };
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema: z.strictObject(parameters, {
        error: ({ code, keys }) =>
          code === 'unrecognized_keys' ? `${name} has no argument ${keys.join(', ')}; it takes ${names}` : undefined,
      }),
      // No output schema: assistants pay for schemas before their first question, and answers speak for themselves.
      annotations: hints,
    },
    (asked: Readonly<Record<string, unknown>>, context): Promise<CallToolResult> => {
      const call = async (signal: AbortSignal): Promise<CallToolResult> => {
        try {
          return await answered(asked, signal);
        } catch (error) {
          return refusal(error, tell);
        }
      };
      return tasks.answer(call, context);
    },
  );
}

function runsNamed(name: string | undefined, runs: readonly AskedRun[]): readonly AskedRun[] {
  if (name === undefined) return runs;
  const named = runs.filter(({ id }) => id === name);
  if (named.length > 0) return named;
  throw new AppError('USAGE_RUN', `unknown corpus "${name.slice(0, 100)}"`, {
    hint: `open corpora: ${runs.map(({ id }) => id).join(', ')}`,
  });
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
        const [run] = runsNamed(named('run'), runs);
        const how = { maxTokens: DEFAULT_TOKENS * 2, tokenizer };
        const text = run ? await readDocumentResource(run, named('document'), how) : '';
        return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
      } catch (error) {
        if (error instanceof AppError || error instanceof URIError) throw new ResourceNotFoundError(uri.href);
        throw error;
      }
    },
  );
}

/** Maximum number of documents listed per run; an assistant finds the others by search. */
const LISTED = 100;

async function listDocuments(runs: readonly AskedRun[]): Promise<Resource[]> {
  const documents = await Promise.all(
    runs.map(async ({ id, corpus }) => {
      const { items } = await corpus.library.works({ outcome: 'saved,local', limit: LISTED });
      return items.map(({ document, title, id: work }) => {
        const name = document ?? work;
        return {
          uri: `docstokg://${encodeURIComponent(id)}/documents/${encodeURIComponent(name)}`,
          name: `${id}/${name}`,
          title: visibleText(title ?? name).slice(0, 300),
          description: `Text of the work ${visibleText(work)} of ${id}, from the start. ${NOTICE}`,
          mimeType: 'text/markdown',
        };
      });
    }),
  );
  return documents.flat();
}

/** Replaces the part of a document that a resource leaves out. */
const REST = 'rest';

/** The start of a document, as much as fits into an answer, marked as data. */
async function readDocumentResource(
  { corpus }: AskedRun,
  document: string,
  how: { readonly maxTokens: number; readonly tokenizer: Tokenizer },
): Promise<string> {
  const pieces = textOf(await corpus.library.document(document));
  const answer = await packAnswer(
    {
      head: {},
      list: 'text',
      summary: '',
      items: pieces.map(({ page, text }) => ({ text: page === null ? text : `[p. ${page}] ${text}` })),
      text: 'text',
      line: ({ text }) => text as string,
      cursorAfter: async (count) => (count < pieces.length ? REST : null),
    },
    { place: { at: 0, within: 0 }, ...how, cursorAt: () => REST },
  );
  return answer.content.replace(moreResults(REST), `More text: use the tool read with work ${document}.`);
}
