import * as z from 'zod';

import type { HttpRequest, HttpResponse, LaterReason, Send } from '../http/index.ts';

/** A missing or null field becomes null. */
export const maybe = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? null);

/** An optional field: a wrong type becomes null instead of failing the record. */
export const lenient = <S extends z.ZodType>(schema: S) => maybe(schema).catch(null);

export const objects = <S extends z.ZodRawShape>(shape: S) => validItems(z.object(shape));

export const text = maybe(z.string());

/** A list from which invalid entries are dropped. A non-empty list without any valid entry is an error. */
export function validItems<S extends z.ZodType>(schema: S) {
  return z.array(z.unknown()).transform((entries, context) => {
    const parsed = entries.map((entry) => schema.safeParse(entry));
    const fitting = parsed.flatMap((each) => (each.success ? [each.data] : []));
    const [first] = parsed;
    if (entries.length > 0 && fitting.length === 0 && first && !first.success) {
      const [issue] = first.error.issues;
      context.addIssue({
        code: 'custom',
        message: issue?.message ?? 'nothing in the list fits',
        path: [0, ...(issue?.path ?? [])],
      });
    }
    return fitting;
  });
}

/** Result of a lookup. A record that does not exist is an answer, not an error. */
export type Lookup<T> =
  | { readonly kind: 'found'; readonly value: T; readonly response: HttpResponse }
  | { readonly kind: 'missing'; readonly status: number }
  | {
      readonly kind: 'later';
      readonly at: number;
      readonly reason: LaterReason;
      readonly response: HttpResponse | undefined;
    }
  | {
      readonly kind: 'problem';
      readonly reason: 'unauthorized' | 'refused' | 'failed' | 'bad-status' | 'not-json' | 'unexpected-shape';
      readonly message: string;
      readonly status: number | undefined;
    };

const MISSING = new Set([404, 410]);

export async function lookupJson<S extends z.ZodType>(
  send: Send,
  request: HttpRequest,
  schema: S,
  signal?: AbortSignal,
): Promise<Lookup<z.output<S>>> {
  const asked = { ...request, headers: { accept: 'application/json', ...request.headers } };
  const answer = await lookupText(send, asked, signal);
  if (answer.kind !== 'found') return answer;
  const read = readJson(answer, schema);
  if (read.kind !== 'problem' || request.cache === 'bypass') return read;
  // A page of a proxy, or half an answer, sent as a success: it must not stay the answer, least of all in the cache.
  const isPassing = read.reason === 'not-json' || answer.response.origin !== 'network';
  return isPassing ? lookupJson(send, { ...request, cache: 'bypass' }, schema, signal) : read;
}

function readJson<S extends z.ZodType>(
  answer: Extract<Lookup<string>, { kind: 'found' }>,
  schema: S,
): Lookup<z.output<S>> {
  let json: unknown;
  try {
    json = JSON.parse(answer.value.replace(/^\uFEFF/, ''));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'problem', reason: 'not-json', message, status: answer.response.status };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success && !isForeign(json, schema))
    return { kind: 'found', value: parsed.data, response: answer.response };
  const [issue] = parsed.error?.issues ?? [];
  const message = issue ? `${issue.path.join('.')}: ${issue.message}` : `not a record: ${answer.value.slice(0, 200)}`;
  return { kind: 'problem', reason: 'unexpected-shape', message, status: answer.response.status };
}

/** Whether an object has no known field, such as an error that is sent as a success. */
function isForeign(json: unknown, schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && !Object.keys(schema.shape).some((name) => name in (json as object));
}

/** Requests text, such as XML, and parses it; `read` returns undefined for anything else. */
export async function lookupParsed<T>(
  send: Send,
  request: HttpRequest,
  read: (text: string) => T | undefined,
  signal?: AbortSignal,
): Promise<Lookup<T>> {
  const answer = await lookupText(send, request, signal);
  if (answer.kind !== 'found') return answer;
  const value = read(answer.value);
  if (value !== undefined) return { ...answer, value };
  // As in lookupJson: an error page must not stay the answer.
  if (request.cache !== 'bypass') return lookupParsed(send, { ...request, cache: 'bypass' }, read, signal);
  const message = answer.value.slice(0, 100).replace(/\s+/g, ' ').trim();
  return { kind: 'problem', reason: 'unexpected-shape', message, status: answer.response.status };
}

export async function lookupText(send: Send, request: HttpRequest, signal?: AbortSignal): Promise<Lookup<string>> {
  const result = await send(request, signal);
  if (result.kind === 'later') {
    return { kind: 'later', at: result.at, reason: result.reason, response: result.trail.response };
  }
  if (result.kind === 'refused' || result.kind === 'failed') {
    return { kind: 'problem', reason: result.kind, message: `${result.reason}: ${result.message}`, status: undefined };
  }
  const { response } = result;
  const { status } = response;
  if (MISSING.has(status)) return { kind: 'missing', status };
  if (status >= 200 && status < 300) return { kind: 'found', value: response.body.toString('utf8'), response };
  const reason = status === 401 || status === 403 ? 'unauthorized' : 'bad-status';
  const said = response.body.subarray(0, 300).toString('utf8').replace(/\s+/g, ' ').trim();
  return { kind: 'problem', reason, message: `status ${status}${said === '' ? '' : `: ${said}`}`, status };
}
