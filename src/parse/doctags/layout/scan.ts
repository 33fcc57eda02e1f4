import { areaOf } from './box.ts';
import { hasLetterOrDigit } from './letter.ts';
import type { PageContent } from './page-content.ts';

/** A page that shows an image and hardly a letter. */
export function isScanned(page: PageContent): boolean {
  let readable = 0;
  for (const glyph of page.glyphs) {
    if (hasLetterOrDigit(glyph.text)) readable += 1;
    if (readable >= 30) return false;
  }
  const images = page.drawings.filter((drawing) => drawing.kind === 'image');
  const covered = images.reduce((sum, drawing) => sum + areaOf(drawing.box), 0);
  return covered > 0.4 * page.width * page.height;
}
