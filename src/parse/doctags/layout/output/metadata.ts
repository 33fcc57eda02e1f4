import type { Block, Metadata } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import { findByline } from './byline.ts';
import { ownDois, pdfImprint } from './imprint.ts';
import { detectLanguage } from '../text/language.ts';
import type { PageContent } from '../page/page-content.ts';
import { unreadable } from '../page/scan.ts';

/** What the file's own information says. */
export interface FileInformation {
  readonly title: string;
  readonly author: string;
  readonly subject?: string;
  readonly keywords?: string;
  /** Where a publisher has put the DOI into the information itself. */
  readonly doi?: string;
}

/** Title, authors, abstract, DOI, language and the signs by which quality can be judged. */
export function describe(
  pages: readonly PageContent[],
  drafts: readonly Draft[],
  blocks: readonly Block[],
  information: FileInformation,
  { columns, doubtful }: { readonly columns: number; readonly doubtful: number },
): Metadata {
  const title = blocks.find((block) => block.kind === 'title')?.text;
  const abstract = findAbstract(blocks);
  const links = pages[0]?.links.map(({ url }) => url) ?? [];
  const { doi, others } = ownDois(blocks, links, information);
  const flow = blocks.filter((block) => block.kind === 'text' || block.kind === 'list_item').map((block) => block.text);
  const language = detectLanguage(flow.join(' '));
  const glyphs = pages.reduce((sum, page) => sum + page.glyphs.length, 0);
  const unmappedGlyphs = glyphs === 0 ? 0 : pages.reduce((sum, page) => sum + page.unmapped, 0) / glyphs;
  const needsOcr = pages.filter((page) => unreadable(page) !== undefined).map((page) => page.number);
  return {
    ...(title === undefined ? {} : { title }),
    authors: findByline(drafts, information.author.trim(), blocks),
    ...(abstract === undefined ? {} : { abstract }),
    ...(doi === undefined ? {} : { doi }),
    ...pdfImprint(blocks, information, { page: pages[0], otherDois: others }),
    ...(language === undefined ? {} : { language }),
    pageCount: pages.length,
    needsOcr,
    quality: {
      unmappedGlyphs,
      columns,
      confidence: confidence({
        unmappedGlyphs,
        scanned: needsOcr.length / Math.max(1, pages.length),
        doubtful,
        cut: pages.some((page) => page.truncated),
        titled: title !== undefined,
        headed: blocks.some((block) => block.kind === 'heading'),
        flow: flow.length,
      }),
    },
  };
}

interface Signs {
  readonly unmappedGlyphs: number;
  readonly scanned: number;
  readonly doubtful: number;
  readonly cut: boolean;
  readonly titled: boolean;
  readonly headed: boolean;
  readonly flow: number;
}

function confidence(signs: Signs): number {
  const value =
    1 -
    Math.min(0.6, 4 * signs.unmappedGlyphs) -
    0.7 * signs.scanned -
    0.3 * signs.doubtful -
    (signs.cut ? 0.2 : 0) -
    (signs.titled ? 0 : 0.1) -
    (signs.headed ? 0 : 0.1) -
    (signs.flow > 0 ? 0 : 0.3);
  return Math.round(Math.max(0, Math.min(1, value)) * 100) / 100;
}

function findAbstract(blocks: readonly Block[]): string | undefined {
  for (let index = 0; index < Math.min(blocks.length, 60); index += 1) {
    const block = blocks[index];
    if (!block) break;
    if (block.kind === 'heading' && /^(?:abstract|summary)\.?$/iu.test(block.text.trim())) {
      const parts: string[] = [];
      for (const next of blocks.slice(index + 1)) {
        if (next.kind === 'heading' || next.kind === 'title') break;
        if (next.kind === 'text') parts.push(next.text);
      }
      if (parts.length > 0) return parts.join('\n').slice(0, 10_000);
    }
    const runIn = /^abstract[\s.:—–-]*(?=\p{Lu})/iu.exec(block.text);
    if (block.kind === 'text' && runIn && block.text.length > 120) return block.text.slice(runIn[0].length);
  }
  return undefined;
}
