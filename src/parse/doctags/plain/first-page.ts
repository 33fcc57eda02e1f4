import type { PdfDictionary, PdfValue } from './object-reader.ts';
import type { PdfObjects } from './pdf-objects.ts';

/** The first page of a document as its dictionaries tell it. */
export interface FirstPage {
  /** Of the whole document. */
  readonly pages: number;
  readonly page: PdfDictionary;
  readonly resources: PdfDictionary;
  /** Left, bottom, right and top of what is seen of it. */
  readonly box: readonly number[];
}

/** Pages are kept in a tree that is rarely deeper than three. */
const MAX_DEPTH = 16;

/** Finds the first page; undefined where the tree of pages is not in order, or what stands in it is encrypted. */
export function findFirstPage(objects: PdfObjects): FirstPage | undefined {
  const { trailer } = objects;
  if (!trailer || trailer.has('/Encrypt')) return undefined;
  let node = objects.dictionary(objects.dictionary(trailer.get('/Root'))?.get('/Pages'));
  const pages = objects.value(node?.get('/Count'));
  // Each page is an object of its own.
  if (typeof pages !== 'number' || !(pages <= Number(trailer.get('/Size')))) return undefined;
  const inherited = new Map<string, PdfValue>();
  for (let depth = 0; node && depth < MAX_DEPTH; depth += 1) {
    for (const key of ['/Resources', '/MediaBox', '/CropBox']) {
      const value = node.get(key);
      if (value !== undefined) inherited.set(key, value);
    }
    if (node.get('/Type') === '/Page') {
      const resources = objects.dictionary(inherited.get('/Resources'));
      const box = shownBox(objects, inherited);
      return resources && box && { pages, page: node, resources, box };
    }
    node = objects.dictionary(objects.list(node.get('/Kids'))?.[0]);
  }
  return undefined;
}

function shownBox(objects: PdfObjects, inherited: ReadonlyMap<string, PdfValue>): readonly number[] | undefined {
  const media = corners(objects, inherited.get('/MediaBox'));
  const crop = corners(objects, inherited.get('/CropBox')) ?? media;
  return (
    media &&
    crop &&
    media.map((side, at) => (at < 2 ? Math.max(side, crop[at] as number) : Math.min(side, crop[at] as number)))
  );
}

function corners(objects: PdfObjects, value: PdfValue | undefined): readonly number[] | undefined {
  const sides = objects.list(value)?.map((side) => objects.value(side));
  if (sides?.length !== 4 || !sides.every((side) => typeof side === 'number')) return undefined;
  const [a, b, c, d] = sides as unknown as [number, number, number, number];
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}
