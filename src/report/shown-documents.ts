import { join } from 'node:path';

import type { ManifestRow } from '../download/index.ts';
import type { GatheredDocuments } from './documents.ts';
import { gatherDocuments } from './documents.ts';
import type { ReportLimits } from './limits.ts';
import type { PageImages } from './page-images.ts';
import { drawPageImages } from './page-images.ts';

/** The documents of a run as the page shows them. */
export interface ShownDocuments extends GatheredDocuments {
  readonly images: PageImages;
}

/** Reads what was parsed and draws its pages, which takes most of the time that a page about a run takes. */
export async function showDocuments(
  folder: string,
  rows: ReadonlyMap<string, ManifestRow>,
  limits: ReportLimits,
  signal?: AbortSignal,
): Promise<ShownDocuments> {
  const known = new Map(
    [...rows.values()].flatMap(({ sha256, path, title }) =>
      sha256 === null || path === null ? [] : [[sha256, { path, title }] as const],
    ),
  );
  const gathered = await gatherDocuments(folder, join(folder, 'Data'), known, limits);
  return { ...gathered, images: await drawPageImages(gathered.documents, limits, signal) };
}
