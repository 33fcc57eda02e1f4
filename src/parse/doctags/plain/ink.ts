import type { PdfDictionary, PdfValue } from './object-reader.ts';
import { isDictionary } from './object-reader.ts';
import type { PdfObjects } from './pdf-objects.ts';

/** What the numbers of a colour mean: light, of which all there is makes white; ink, of which none leaves white; or neither is plain. */
export type ColourKind = 'light' | 'ink' | 'unclear';

/** Nearer to white than this is white to readers. */
const PALE = 0.01;

const KINDS: Readonly<Record<string, ColourKind>> = {
  '/DeviceGray': 'light',
  '/DeviceRGB': 'light',
  '/CalGray': 'light',
  '/CalRGB': 'light',
  '/DeviceCMYK': 'ink',
  '/Separation': 'ink',
  '/DeviceN': 'ink',
};

/** The kind of a colour space, by its name in a page's resources. */
export function colourKind(objects: PdfObjects, resources: PdfDictionary, name: PdfValue | undefined): ColourKind {
  if (typeof name !== 'string') return 'unclear';
  const space = KINDS[name] ? name : objects.value(objects.dictionary(resources.get('/ColorSpace'))?.get(name));
  if (typeof space === 'string') return KINDS[space] ?? 'unclear';
  const [family, profile, ...others] = Array.isArray(space) ? space.slice(0, 2) : [];
  if (typeof family !== 'string' || others.length > 0) return 'unclear';
  // A separation of that name is printed on no plate.
  if (family !== '/ICCBased') return profile === '/None' ? 'unclear' : (KINDS[family] ?? 'unclear');
  const head = objects.value(profile);
  const parts = isDictionary(head) ? objects.value(head.get('/N')) : undefined;
  return parts === 1 || parts === 3 ? 'light' : parts === 4 ? 'ink' : 'unclear';
}

/** Whether a colour is seen on paper. */
export function isSeen(kind: ColourKind, parts: readonly PdfValue[]): boolean {
  const numbers = parts.filter((part) => typeof part === 'number');
  if (kind === 'unclear' || numbers.length !== parts.length || parts.length === 0) return false;
  return numbers.some((part) => (kind === 'light' ? part < 1 - PALE : part > PALE));
}
