import { numberOf, pad } from './identifiers.ts';
import type { Host } from './types.ts';

/** The URLs of a work at a host, by platform; `copy` distinguishes several copies. */
export interface Addresses {
  readonly landing: string;
  readonly file: string;
}

export function addressesAt(host: Host, index: number, copy: number): Addresses {
  const number = numberOf(index);
  const root = `http://${host.name}`;
  const mark = copy === 0 ? '' : `-${copy}`;
  switch (host.platform) {
    case 'ojs':
      return {
        landing: `${root}/index.php/j${host.index}/article/view/${number}${mark}`,
        file: `${root}/index.php/j${host.index}/article/download/${number}${mark}/${pad(copy + 1, 3)}`,
      };
    case 'atypon':
      return {
        landing: `${root}/doi/abs/10.5555/j${number}${mark}`,
        file: `${root}/doi/pdf/10.5555/j${number}${mark}`,
      };
    case 'dspace6':
      return {
        landing: `${root}/handle/1234/${number}${mark}`,
        file: `${root}/bitstream/handle/1234/${number}${mark}/paper.pdf?sequence=1&isAllowed=y`,
      };
    case 'dspace7':
      return {
        landing: `${root}/items/3f0c0000-0000-4000-8${pad(copy, 3)}-00000${number}`,
        file: `${root}/server/api/core/bitstreams/3f0c0000-0000-4000-9${pad(copy, 3)}-00000${number}/content`,
      };
    case 'eprints':
      return { landing: `${root}/id/eprint/${number}${mark}`, file: `${root}/id/eprint/${number}${mark}/1/paper.pdf` };
    case 'custom':
      return { landing: `${root}/articles/${number}${mark}`, file: `${root}/articles/files/${number}${mark}.pdf` };
  }
}
