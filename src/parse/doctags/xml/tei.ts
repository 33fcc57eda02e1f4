import { AppError } from '../../../base/index.ts';
import type { ParsedDocument } from '../../document.ts';
import type { MarkupElement } from '../markup/node.ts';
export function readTei(root: MarkupElement, _options: unknown): ParsedDocument {
  throw new AppError('X', root.name);
}
