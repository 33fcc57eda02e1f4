/** Where model servers listen unless they are set up otherwise. */
export const LOCAL_MODEL_SERVERS: Readonly<Record<string, string>> = {
  Ollama: 'http://127.0.0.1:11434/v1',
  'LM Studio': 'http://127.0.0.1:1234/v1',
  vLLM: 'http://127.0.0.1:8000/v1',
  'llama.cpp': 'http://127.0.0.1:8080/v1',
};

/** A server that lists models. */
export interface FoundServer {
  readonly name: string;
  readonly url: string;
  readonly models: readonly string[];
}

const PATIENCE_MS = 3_000;
const MOST_BYTES = 1_000_000;
const MOST_MODELS = 200;

/** The servers that answer `GET /models` as OpenAI-compatible ones do; others on these ports are not mentioned. */
export async function findModelServers(
  servers: Readonly<Record<string, string>>,
  apiKey: string,
): Promise<FoundServer[]> {
  const asked = Object.entries(servers).map(async ([name, url]): Promise<FoundServer[]> => {
    try {
      const response = await fetch(`${url.replace(/(?<!\/)\/+$/, '')}/models`, {
        redirect: 'error',
        signal: AbortSignal.timeout(PATIENCE_MS),
        ...(apiKey !== '' && { headers: { authorization: `Bearer ${apiKey}` } }),
      });
      const text = response.ok ? await bounded(response) : '';
      const { data } = JSON.parse(text) as { data?: unknown };
      if (!Array.isArray(data)) return [];
      const ids = (data as unknown[]).map((model) => (model as { id?: unknown } | null)?.id);
      return [{ name, url, models: ids.filter((id) => typeof id === 'string').slice(0, MOST_MODELS) }];
    } catch {
      // Nothing listens there, or something else does.
      return [];
    }
  });
  return (await Promise.all(asked)).flat();
}

async function bounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) return '';
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
