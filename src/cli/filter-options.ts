import type { Command } from 'commander';
import { Option } from 'commander';

import type { Corpus } from '../corpus/index.ts';
import { SECTIONS } from '../search/index.ts';
import type { FlagsOf } from './options.ts';
import { worksOption } from './options.ts';

export function filterOptions(command: Command) {
  return worksOption(command)
    .option('--year <years>', 'only works from these years: 2020, 2018-2022, 2018-')
    .option('--author <name>', 'only works by this author: part of a name, or an ORCID')
    .option('--venue <name>', 'only works from this journal or repository: part of its name')
    .option('--type <type>', 'only works of this type, such as article or preprint')
    .option('--license <a,b>', 'only works under these licences, such as cc-by')
    .option('--section <a,b>', `only these sections: ${SECTIONS.join(', ')}`)
    .addOption(new Option('--has <what>', 'only passages that contain one').choices(['table', 'figure']))
    .option('--exclude-retracted', 'exclude retracted works');
}

export function filtersOf(corpus: Corpus, flags: FlagsOf<typeof filterOptions>) {
  const { year, author, venue, type, license, section, has, excludeRetracted } = flags;
  const works = corpus.chooseWorks(flags.works);
  return { works, year, author, venue, type, license, section, has, excludeRetracted };
}
