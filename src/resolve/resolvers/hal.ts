import { z } from 'zod';

import type { Work } from '../../works/index.ts';
import { maybe, normalizeHalId, parseLicense, text, validItems } from '../../works/index.ts';
import { lead } from '../plan.ts';
import { answerOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { compareWork } from '../same-work.ts';

const texts = maybe(z.union([z.string(), z.array(z.string())]));

const document = z.object({
  halId_s: text,
  doiId_s: texts,
  title_s: texts,
  authFullName_s: texts,
  fileMain_s: texts,
  files_s: texts,
  licence_s: texts,
  linkExtId_s: texts,
  linkExtUrl_s: texts,
});

const halAnswer = z.object({ response: z.object({ docs: validItems(document) }) });

const FIELDS = Object.keys(document.shape).join(',');
/** External copies that anyone may read; ISTEX and others are for members. */
const OPEN_ELSEWHERE = new Set(['arxiv', 'openaccess', 'pubmedcentral', 'biorxiv']);

/**
 * HAL: the main file of a deposit, found by DOI or HAL id, or the open copy elsewhere that a deposit without a file
 * names. DOIs keep the authors' case: `doiId_s` is matched exactly, `doiId_id` ignores case (api.archives-
 * ouvertes.fr/docs/search, "schema/fields").
 */
export const hal: Resolver = {
  name: 'hal',
  async *plans(work, context) {
    const { services } = context;
    const { doi, hal: id } = work.ids;
    const query =
      id !== null
        ? `halId_s:"${quoted(id)}"`
        : doi !== null
          ? `doiId_s:"${quoted(doi)}" OR doiId_id:"${quoted(doi)}"`
          : undefined;
    if (query === undefined) return;
    const parameters = { q: query, fl: FIELDS, wt: 'json', rows: '5' };
    const found = yield* answerOf('hal', context, { path: 'search/', parameters }, halAnswer);
    for (const each of found?.response.docs ?? []) {
      const sameness = isAbout(work, each);
      if (sameness === undefined) continue;
      const details = {
        license: parseLicense(all(each.licence_s)[0]),
        hostType: 'repository',
        sameAs: sameness,
      } as const;
      const [file] = all(each.fileMain_s ?? each.files_s);
      if (file !== undefined) yield* lead(services, 'hal', file, { ...details, expect: 'pdf' });
      const [where] = all(each.linkExtId_s);
      if (file === undefined && OPEN_ELSEWHERE.has(where?.toLowerCase() ?? ''))
        yield* lead(services, 'hal', all(each.linkExtUrl_s)[0], { ...details, hostType: null });
    }
  },
};

/** The deposit's own DOI if it differs from the work's, null if it does not, undefined if it is another work. */
function isAbout(work: Work, each: z.output<typeof document>): ReturnType<typeof sameAsOf> {
  if (work.ids.hal !== null && normalizeHalId(each.halId_s ?? '') === work.ids.hal) return null;
  const dois = all(each.doiId_s);
  return sameAsOf(work, dois.length > 0 ? dois : [null], {
    title: all(each.title_s)[0],
    authors: all(each.authFullName_s),
  });
}

function sameAsOf(
  work: Work,
  dois: readonly (string | null)[],
  stated: { readonly title: string | undefined; readonly authors: readonly string[] },
): { readonly doi: string; readonly evidence: string } | null | undefined {
  for (const doi of dois) {
    const sameness = compareWork(work, { ...stated, doi });
    if (sameness.kind === 'same') return null;
    if (sameness.kind === 'version') return sameness.sameAs;
  }
  return undefined;
}

function all(value: string | readonly string[] | null): string[] {
  return value === null ? [] : [value].flat();
}

/** Within quotes Solr interprets only the quote and the backslash. */
function quoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
