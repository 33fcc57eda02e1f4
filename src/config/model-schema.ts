import * as z from 'zod';

import { flag, seconds, setting } from './setting.ts';

/** The model that answers questions, fills in tables and extracts claims; none unless one is named. */
export const modelSchema = z.strictObject({
  url: setting(
    z
      .string()
      .regex(/^(?:https?:\/\/[^\s/]\S*)?$/, 'an address that begins with http:// or https://')
      .default(''),
    'URL of an OpenAI-compatible server, up to and including /v1; empty means no model is used.',
    flag('--model-url <url>', 'claims', 'ask', 'table'),
  ),
  name: setting(
    z.string().default(''),
    'Model name to request from the server.',
    flag('--model <name>', 'claims', 'ask', 'table'),
  ),
  max_tokens: setting(z.int().min(64).max(32_768).default(1_024), 'Maximum length of an answer, in tokens.'),
  usd_per_million_input: setting(
    z.number().min(0).default(0),
    'Price per million input tokens, in US dollars; 0 means unknown.',
  ),
  usd_per_million_output: setting(z.number().min(0).default(0), 'Price per million output tokens, in US dollars.'),
  budget_usd: setting(
    z.number().min(0).default(0),
    'Spending limit per run, in US dollars; needs the prices to be set. 0 means no limit.',
    flag('--budget-usd <n>', 'claims'),
  ),
  budget_tokens: setting(
    z.int().min(0).default(0),
    'Token limit per run, input and output together; 0 means no limit.',
    flag('--budget-tokens <n>', 'claims', 'table'),
  ),
  concurrency: setting(z.int().min(1).max(64).default(4), 'Maximum concurrent requests to the model server.'),
  per_second: setting(z.number().positive().max(1_000).default(50), 'Maximum requests per second to the model server.'),
  timeout_s: setting(seconds(1).default(120), 'Timeout of a request to the model server.'),
  retries: setting(z.int().min(0).max(20).default(3), 'Retries of a request when the model server is busy or fails.'),
});

/** What `graph claims` reads. */
export const claimsSchema = z.strictObject({
  passages_per_document: setting(
    z.int().min(0).default(40),
    'Number of passages per document to send, from the start of the document; 0 means all.',
    flag('--passages-per-document <n>', 'claims'),
  ),
});
