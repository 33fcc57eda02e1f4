import * as z from 'zod';

import { flag, seconds } from './setting.ts';

/** Which model reads claims out of passages; none unless one is named. */
export const claimsSchema = z.strictObject({
  url: z
    .string()
    .regex(/^(?:https?:\/\/[^\s/]\S*)?$/, 'an address that begins with http:// or https://')
    .default('')
    .describe('Address of an OpenAI-compatible server up to and including /v1; empty means that no model is asked.')
    .meta(flag('--model-url <url>', 'claims', 'ask')),
  model: z
    .string()
    .default('')
    .describe('Model that the server is asked for.')
    .meta(flag('--model <name>', 'claims', 'ask')),
  passages_per_document: z
    .int()
    .min(0)
    .default(40)
    .describe('Passages of a document that are asked about, from its beginning; 0 means all.')
    .meta(flag('--passages-per-document <n>', 'claims')),
  max_tokens: z.int().min(64).max(32_768).default(1_024).describe('Longest answer about a passage, in tokens.'),
  usd_per_million_input: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'What the server charges for a million tokens that it is sent, in US dollars; 0 means that nobody has said.',
    ),
  usd_per_million_output: z
    .number()
    .min(0)
    .default(0)
    .describe('What it charges for a million tokens that it answers.'),
  budget_usd: z
    .number()
    .min(0)
    .default(0)
    .describe('Most that a run may spend, in US dollars; it needs prices; 0 means no limit.')
    .meta(flag('--budget-usd <n>', 'claims')),
  budget_tokens: z
    .int()
    .min(0)
    .default(0)
    .describe('Most tokens that a run may use, sent and answered; 0 means no limit.')
    .meta(flag('--budget-tokens <n>', 'claims')),
  concurrency: z.int().min(1).max(64).default(4).describe('Requests to the model server at once.'),
  per_second: z.number().positive().max(1_000).default(50).describe('Requests to the model server in a second.'),
  timeout_s: seconds(1).default(120).describe('Longest wait for one answer of the model server.'),
  retries: z
    .int()
    .min(0)
    .max(20)
    .default(3)
    .describe('Attempts after the first at a model server that is busy or fails.'),
  longest_wait_s: seconds(0).default(300).describe('A model server that asks for a longer wait ends the run.'),
});
