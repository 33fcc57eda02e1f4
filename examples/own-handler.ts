// Own work for the queue:  docstokg queue import examples/artifacts.jsonl
//                          docstokg queue run --drain --handler examples/own-handler.ts
// It needs no network: `fetchPage` stands in for a request and answers as servers do.
import type { Handler } from 'docstokg/queue';

interface Artifact {
  readonly url: string;
  readonly title: string;
}

const handler: Handler = async (job, context) => {
  const { url, title } = job.payload as Artifact;
  // 'skipped' is an end that nobody need look into; a reason that begins with a code is counted under it.
  if (!url.endsWith('.pdf')) return { state: 'skipped', reason: 'NOT_A_PDF: only PDF files are wanted' };

  // Slots of the resolver and of the host are held for the request alone, not for the whole job.
  const answer = await context.withLimits(job.resolverHint, url, async (window) => {
    const answer = await fetchPage(url, job.attempt, window.signal);
    // Slows the host down for every job of this process, and holds it until the moment it named.
    if (answer.status === 429) window.throttled({ retryAt: answer.retryAt });
    return answer;
  });

  switch (answer.status) {
    case 429:
      return { retryAt: answer.retryAt, reason: 'HTTP_429: asked to come back later' }; // costs no attempt
    case 404:
      return { state: 'error', reason: 'HTTP_404: there is no such page' }; // final: not tried again
    case 200:
      context.log('debug', `${title}: ${answer.bytes} bytes`);
      return undefined; // done
    default:
      throw new Error(`${url} answered ${answer.status}`); // tried again after a growing delay
  }
};
export default handler;

const visits = new Map<string, number>();

async function fetchPage(url: string, attempt: number, signal: AbortSignal) {
  const visit = (visits.get(url) ?? 0) + 1;
  visits.set(url, visit);
  await new Promise((resolve) => setTimeout(resolve, 20));
  signal.throwIfAborted();
  const status = url.includes('missing') ? 404 : url.includes('busy') && visit === 1 ? 429 : 200;
  return { status, bytes: 1_000 * attempt, retryAt: Date.now() + 300 };
}
