import type { PaperSpec } from '../content/index.ts';
import { abstractOf, author, journalOf } from '../world/people.ts';
import { TOPICS } from '../world/topics.ts';
import type { World } from '../world/world.ts';

/** The specification of a work's document. */
export function paperSpec(world: World, index: number): PaperSpec {
  const { seed } = world.parameters;
  const work = world.work(index);
  const abstract = abstractOf(seed, work);
  const license = work.locations.find((location) => location.license !== null)?.license;
  return {
    seed: `${seed}:${index}`,
    workId: work.id,
    title: work.title,
    authors: work.authors.slice(0, 12).map((one) => {
      const person = author(seed, one);
      return { name: person.name, affiliation: person.institution.name, ...(person.orcid && { orcid: person.orcid }) };
    }),
    ...(abstract !== null && { abstract }),
    ...(work.doi !== null && { doi: work.doi }),
    ...(work.pmcid !== null && { pmcid: work.pmcid }),
    ...(work.pmid !== null && { pmid: work.pmid }),
    ...(work.arxivId !== null && { arxivId: work.arxivId }),
    journal: journalOf(world.publishers[work.source]),
    year: work.year,
    language: work.language,
    ...(license && { license }),
    topic: TOPICS[work.topics[0]?.topic ?? 0]?.name ?? 'Science',
    references: work.references.slice(0, 40).map((cited) => {
      const other = world.work(cited);
      return {
        title: other.title,
        authors: other.authors.slice(0, 3).map((one) => author(seed, one).name),
        year: other.year,
        ...(other.doi !== null && { doi: other.doi }),
      };
    }),
  };
}
