type Parameters = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What the interface says when it cannot answer (RFC 9457). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;

  constructor(
    status: number,
    problem: { readonly detail?: string; readonly code?: string; readonly hint?: string | null },
  ) {
    super(problem.detail ?? `the server answered ${status}`);
    this.status = status;
    this.code = problem.code ?? '';
    this.hint = problem.hint ?? null;
  }
}

/** An address of the interface; parts in the path are to be encoded by whoever names them. */
export function address(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null && value !== '' && value !== false) query.set(name, String(value));
  const text = query.toString();
  return `/api/v1${path}${text === '' ? '' : `?${text}`}`;
}

/** Asks the interface. */
export async function ask<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  return await answered<T>(await fetch(address(path, parameters), signal ? { signal } : {}));
}

/** Steers: the server notes who and when. */
export async function steer(
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<{ readonly changed: number | boolean }> {
  const response = await fetch(address(`/steering/${path}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return await answered(response);
}

async function answered<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const problem = await response.json().catch(() => ({}));
  throw new Refusal(response.status, problem as object);
}
