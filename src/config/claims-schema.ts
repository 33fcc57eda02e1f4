import * as z from 'zod';

import { flag, seconds } from './setting.ts';

/** Which model reads claims out of passages; none unless one is named. */
export const claimsSchema = z.strictObject({
  url: z
    .string()
    .regex(/^(?:https?:\/\/[^\s/]\S*)?$/, 'an address that begins with http:// or https://')
    .default('')
    .describe('URL of an OpenAI-compatible server, up to and including /v1; empty means no model is used.')
    .meta(flag('--model-url <url>', 'claims', 'ask', 'table')),
  model: z
    .string()
    .default('')
    .describe('Model name to request from the server.')
    .meta(flag('--model <name>', 'claims', 'ask', 'table')),
  passages_per_document: z
    .int()
    .min(0)
    .default(40)
    .describe('Number of passages per document to send, from the start of the document; 0 means all.')
    .meta(flag('--passages-per-document <n>', 'claims')),
  max_tokens: z.int().min(64).max(32_768).default(1_024).describe('Maximum length of an answer, in tokens.'),
  usd_per_million_input: z
    .number()
    .min(0)
    .default(0)
    .describe('Price per million input tokens, in US dollars; 0 means unknown.'),
  usd_per_million_output: z.number().min(0).default(0).describe('Price per million output tokens, in US dollars.'),
  budget_usd: z
    .number()
    .min(0)
    .default(0)
    .describe('Spending limit per run, in US dollars; needs the prices to be set. 0 means no limit.')
    .meta(flag('--budget-usd <n>', 'claims')),
  budget_tokens: z
    .int()
    .min(0)
    .default(0)
    .describe('Token limit per run, input and output together; 0 means no limit.')
    .meta(flag('--budget-tokens <n>', 'claims', 'table')),
  concurrency: z.int().min(1).max(64).default(4).describe('Maximum concurrent requests to the model server.'),
  per_second: z.number().positive().max(1_000).default(50).describe('Maximum requests per second to the model server.'),
  timeout_s: seconds(1).default(120).describe('Timeout of a request to the model server.'),
  retries: z.int().min(0).max(20).default(3).describe('Retries of a request when the model server is busy or fails.'),
  longest_wait_s: seconds(0)
    .default(300)
    .describe('Longest Retry-After to accept from the model server; a longer one ends the run.'),
});
