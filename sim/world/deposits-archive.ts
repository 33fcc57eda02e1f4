import { PLAIN } from '../behaviours/behaviour.ts';
import { at, pad } from './identifiers.ts';
import type { LocationBuilder } from './locations.ts';
import type { Location } from './types.ts';

/** The Wayback Machine's capture of a lost file. */
export function waybackLocation(build: LocationBuilder, gone: Location): void {
  const timestamp = `2023${pad(1 + build.draw.below(12))}${pad(1 + build.draw.below(28))}120000`;
  const url = at('web.archive.org', `/web/${timestamp}id_/${gone.url}`);
  build.service({
    host: 'web.archive.org.sim.test',
    hostType: 'archive',
    kind: 'pdf',
    url,
    version: gone.version,
    license: gone.license,
    isOa: true,
    visibleIn: ['wayback'],
    behaviour: PLAIN,
    file: gone.file && { url, behaviour: PLAIN, payload: gone.file.payload },
    template: null,
  });
}
