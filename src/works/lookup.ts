import type { z } from 'zod';

import type { HttpRequest, HttpResponse, LaterReason, Send } from '../http/index.ts';

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
      readonly reason: ProblemReason;
      readonly message: string;
      readonly status: number | undefined;
    };

type ProblemReason = 'unauthorized' | 'refused' | 'failed' | 'bad-status' | 'not-json' | 'unexpected-shape';

const MISSING = new Set([404, 410]);

/** Requests JSON and validates it; unknown fields are ignored. */
export async function lookupJson<S extends z.ZodType>(
  send: Send,
  request: HttpRequest,
  schema: S,
  signal?: AbortSignal,
): Promise<Lookup<z.output<S>>> {
  const answer = await lookupText(
    send,
    { ...request, headers: { accept: 'application/json', ...request.headers } },
    signal,
  );
  if (answer.kind !== 'found') return answer;
  let json: unknown;
  try {
    json = JSON.parse(answer.value.replace(/^\uFEFF/, ''));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'problem', reason: 'not-json', message, status: answer.response.status };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { kind: 'found', value: parsed.data, response: answer.response };
  const [issue] = parsed.error.issues;
  const message = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`;
  return { kind: 'problem', reason: 'unexpected-shape', message, status: answer.response.status };
}

/** Requests text, such as XML. */
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
