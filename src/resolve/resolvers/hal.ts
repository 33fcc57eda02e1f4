import { z } from 'zod';

import { maybe, parseLicense } from '../../works/index.ts';
import { problemsOf } from '../lookups.ts';
import type { Resolver } from '../plan.ts';
import { plan } from '../plan.ts';

const texts = maybe(z.union([z.string(), z.array(z.string())]));

const halAnswer = z.object({
  response: z.object({ docs: z.array(z.object({ fileMain_s: texts, files_s: texts, licence_s: texts })) }),
});

/** HAL: the main file of a deposit, found by DOI or by HAL's own id. */
export const hal: Resolver = {
  name: 'hal',
  async *plans(work, { lookups, signal }) {
    const { doi, hal: id } = work.ids;
    const query = id === null ? (doi === null ? undefined : `doiId_s:"${quoted(doi)}"`) : `halId_s:"${quoted(id)}"`;
    if (query === undefined) return;
    const parameters = { q: query, fl: 'halId_s,doiId_s,fileMain_s,files_s,licence_s', wt: 'json', rows: '5' };
    const found = await lookups.json({ service: 'hal', path: 'search/', parameters }, halAnswer, signal);
    yield* problemsOf('hal', found);
    if (found.kind !== 'found') return;
    for (const { fileMain_s: main, files_s: files, licence_s: licence } of found.value.response.docs) {
      const urls = [main ?? files ?? []].flat().slice(0, 1);
      const license = parseLicense([licence ?? []].flat()[0]);
      for (const url of urls) yield* plan('hal', url, { expect: 'pdf', license, hostType: 'repository' });
    }
  },
};

/** Inside the quotes of Solr only the quote and the backslash mean something. */
function quoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
