import type { PaperSpec } from '../content/index.ts';
import { abstractOf, authorsOf, journalOf } from '../world/people.ts';
import { TOPICS } from '../world/topics.ts';
import type { World } from '../world/world.ts';

export function paperSpec(world: World, index: number): PaperSpec {
  const work = world.work(index);
  const abstract = abstractOf(world, work);
  const license = work.locations.find((location) => location.license !== null)?.license;
  return {
    seed: `${world.parameters.seed}:${index}`,
    workId: work.id,
    title: work.title,
    authors: authorsOf(world, work, 12).map(({ name, institution, orcid }) => ({
      name,
      affiliation: institution.name,
      ...(orcid && { orcid }),
    })),
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
        authors: authorsOf(world, other, 3).map(({ name }) => name),
        year: other.year,
        ...(other.doi !== null && { doi: other.doi }),
      };
    }),
  };
}
