import { isAbsolute, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** An address by which a page in `folder` leads to a file, also after the folder was moved as a whole. */
export function fileLink(folder: string, path: string): string {
  const way = relative(folder, path);
  // On another drive there is no relative way.
  if (isAbsolute(way)) return pathToFileURL(path).href;
  const link = way.split(sep).map(encodeURIComponent).join('/');
  // A name like "mailto:x" would be an address of its own.
  return `./${link}`;
}
