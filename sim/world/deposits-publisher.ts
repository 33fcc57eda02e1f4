import { PLAIN } from '../behaviours/behaviour.ts';
import { at } from './identifiers.ts';
import type { LocationBuilder } from './locations.ts';
import type { Lister, Payload } from './types.ts';

/** A text behind a publisher API: open JATS with a free key, or text mining with a token. */
export function publisherLocation(build: LocationBuilder): void {
  const { work } = build;
  const doi = work.doi ?? '';
  const jats: Payload = { form: 'jats', work: work.index, body: true };
  const add = (lister: Lister, host: string, path: string, payload: Payload): void => {
    const url = at(host, path);
    build.service({
      host: `${host}.sim.test`,
      hostType: 'publisher',
      kind: payload.form === 'jats' ? 'jats' : 'pdf',
      url,
      version: 'publishedVersion',
      license: null,
      isOa: lister === 'springer_nature',
      visibleIn: [lister],
      behaviour: PLAIN,
      file: { url, behaviour: PLAIN, payload },
      template: null,
    });
  };
  const encoded = encodeURIComponent(doi);
  if (work.archetype === 'B-springer_nature')
    add('springer_nature', 'api.springernature.com', `/openaccess/jats?q=${encodeURIComponent(`doi:${doi}`)}`, jats);
  else if (work.archetype === 'B-wiley_tdm')
    add('wiley_tdm', 'api.wiley.com', `/onlinelibrary/tdm/v1/articles/${encoded}`, build.pdf());
  else add('elsevier_tdm', 'api.elsevier.com', `/content/article/doi/${doi}?httpAccept=application%2Fpdf`, build.pdf());
}
