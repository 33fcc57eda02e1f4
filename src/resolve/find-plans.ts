import * as z from 'zod';

import type { Work, ArxivId } from '../works/index.ts';
import {
  doiPath,
  formatArxivId,
  maybe,
  mergeIds,
  OPENALEX_SELECT,
  parseOpenAlexWork,
  plainText,
  normalizeDoi,
  parseArxivId,
} from '../works/index.ts';
import { crossrefQuestion, problemsOf, unreadable } from './lookups.ts';
import type { Finding } from './plan.ts';
import type { ResolveContext, Resolver } from './resolver.ts';

/** A work with more plans comes from a page that wastes our time. */
const MOST_PLANS = 100;

/** Each URL once. Lazy: a resolver runs only after the plans before it were tried. */
export async function* findPlans(
  work: Work,
  resolvers: readonly Resolver[],
  context: ResolveContext,
): AsyncGenerator<Finding> {
  const { work: known, findings } = await completeWork(work, context);
  yield* findings;
  const seen = new Set<string>();
  const manuscripts: Finding[] = [];
  for (const resolver of resolvers) {
    context.signal?.throwIfAborted();
    if (resolver.isLast) yield* manuscripts.splice(0);
    context.asked?.(resolver.name);
    for await (const finding of resolver.plans(known, context)) {
      if (finding.kind === 'plan') {
        const { url, version } = finding.plan;
        if (seen.has(url) || context.attempted.has(url)) continue;
        if (seen.size >= MOST_PLANS) return;
        seen.add(url);
        const isManuscript = version === 'submittedVersion' || version === 'acceptedVersion';
        if (context.prefer === 'published' && isManuscript) {
          manuscripts.push(finding);
          continue;
        }
      }
      yield finding;
    }
  }
  yield* manuscripts;
}

interface CompletedWork {
  readonly work: Work;
  readonly findings: readonly Finding[];
}

/** Looks up title and other ids of a work known by id only: at OpenAlex, where that is free, or arXiv. */
export async function completeWork(listed: Work, context: ResolveContext): Promise<CompletedWork> {
  if (listed.isComplete) return { work: listed, findings: [] };
  const work = { ...listed, isComplete: true };
  const path = recordPath(work);
  const { arxiv } = work.ids;
  if (path === undefined) return arxiv === null ? { work, findings: [] } : await fromArxiv(work, arxiv, context);
  const question = { service: 'openalex', path: `works/${path}`, parameters: { select: OPENALEX_SELECT } } as const;
  const found = await context.lookups.json(question, z.unknown(), context.signal);
  if (found.kind === 'missing') return { work: await titledByCrossref(work, context), findings: [] };
  if (found.kind !== 'found') return { work, findings: problemsOf('openalex', found) };
  const record = parseOpenAlexWork(found.value);
  if (!record) return { work, findings: unreadable('openalex', 'the record of the work is none') };
  const ids = mergeIds(work.ids, record.ids);
  return { work: { ...record, id: work.id, ids, title: work.title ?? record.title, urls: work.urls }, findings: [] };
}

const crossrefTitle = z.object({ message: z.object({ title: maybe(z.array(z.string())) }) });

/** Crossref knows the titles of works that are new to OpenAlex. Its resolver asks the same and reports problems. */
async function titledByCrossref(work: Work, { lookups, contact, signal }: ResolveContext): Promise<Work> {
  if (work.title !== null || work.ids.doi === null) return work;
  const found = await lookups.json(crossrefQuestion(work.ids.doi, contact), crossrefTitle, signal);
  return { ...work, title: (found.kind === 'found' && found.value.message.title?.[0]) || null };
}

function recordPath({ ids }: Work): string | undefined {
  if (ids.openalex !== null) return ids.openalex;
  if (ids.doi !== null) return `doi:${doiPath(ids.doi)}`;
  if (ids.pmcid !== null) return `pmcid:${ids.pmcid}`;
  return ids.pmid === null ? undefined : `pmid:${ids.pmid}`;
}

/** arXiv also gives the journal's DOI, which other services know. */
async function fromArxiv(work: Work, arxiv: ArxivId, { lookups, signal }: ResolveContext): Promise<CompletedWork> {
  const parameters = { id_list: formatArxivId(arxiv), max_results: '1' };
  const found = await lookups.parsed({ service: 'arxiv', path: 'api/query', parameters }, readArxivFeed, signal);
  const [entry] = found.kind === 'found' ? found.value : [];
  if (entry?.id.id !== arxiv.id) return { work, findings: problemsOf('arxiv', found) };
  const ids = { ...work.ids, doi: work.ids.doi ?? entry.doi };
  return { work: { ...work, title: work.title ?? entry.title, ids }, findings: [] };
}

/** Undefined if it is not a feed. `doi` is the journal article's, if the authors gave it. */
export function readArxivFeed(xml: string) {
  const [head = '', ...entries] = xml.split('<entry>');
  const isWhole = /<feed[\s>]/.test(head) && xml.trimEnd().endsWith('</feed>');
  if (!isWhole || !entries.every((entry) => entry.includes('</entry>'))) return undefined;
  return entries.flatMap((entry) => {
    const field = (start: RegExp): string => {
      const [, text = ''] = entry.split(start, 2);
      return plainText(text.slice(0, text.indexOf('<'))) ?? '';
    };
    const id = parseArxivId(field(/<id>/));
    const doi = normalizeDoi(field(/<arxiv:doi(?: [^<>]*)?>/)) ?? null;
    return id ? [{ id, title: field(/<title(?: [^<>]*)?>/), doi }] : [];
  });
}
