import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

import { packageVersion, writeFileAtomic } from '../../base/index.ts';
import type { LibraryWork } from '../../library/index.ts';
import { apaCitation, parseLicense } from '../../works/index.ts';

// A folder that describes itself (RO-Crate 1.2): the list of works, the references, the graph and those papers that anyone may
// pass on, with a `ro-crate-metadata.json` that says what each file is, under which licence, and how the folder came to be.

/** What goes into a crate. */
export interface CrateContents {
  /** The name of the corpus. */
  readonly name: string;
  /** The file of a document, if it is the one that was parsed: a paper of one's own lies outside the corpus. */
  readonly fileOf: (document: string) => Promise<string | undefined>;
  /** The time of the export, ISO 8601. */
  readonly at: string;
  readonly works: readonly LibraryWork[];
  /** Whether the licence of a work lets anyone pass its file on. */
  readonly isOpen: (work: LibraryWork) => boolean;
  /** Files with what they are, and who writes them. */
  readonly files: readonly CrateFile[];
}

/** A file of the crate besides the papers. */
export interface CrateFile {
  readonly path: string;
  readonly format: string;
  readonly about: string;
  readonly write: (path: string) => Promise<void>;
}

type Entity = Readonly<Record<string, unknown>> & { readonly '@id': string };

const METADATA = 'ro-crate-metadata.json';
const PAPERS = 'papers';
const ROOT_LICENCE = '#licences';

/** Writes the crate; papers of an earlier export that are no longer in it are removed. */
export async function writeRoCrate(to: string, contents: CrateContents): Promise<void> {
  const { works, files } = contents;
  await mkdir(join(to, PAPERS), { recursive: true });
  for (const { path, write } of files) await write(join(to, path));
  const papers = new Map<string, string>();
  for (const work of works) {
    const from = contents.isOpen(work) ? await contents.fileOf(work.document) : undefined;
    if (from === undefined) continue;
    // Files from several folders may have one name; documents have their own.
    const path = `${PAPERS}/${work.document}${extname(from)}`;
    await copyFile(from, join(to, path));
    papers.set(work.id, path);
  }
  const kept = new Set([...papers.values()].map((path) => basename(path)));
  for (const name of await readdir(join(to, PAPERS))) if (!kept.has(name)) await rm(join(to, PAPERS, name));
  const graph = [...(await entities(to, contents, papers))];
  const metadata = { '@context': 'https://w3id.org/ro/crate/1.2/context', '@graph': graph };
  await writeFileAtomic(join(to, METADATA), `${JSON.stringify(metadata, undefined, 1)}\n`);
}

async function entities(
  to: string,
  { name, at, works, files }: CrateContents,
  papers: ReadonlyMap<string, string>,
): Promise<readonly Entity[]> {
  const described = works.filter(({ isOtherVersion, outcome }) => !isOtherVersion && outcome !== 'unreadable');
  const sizeOf = async (path: string): Promise<string> => String((await stat(join(to, path))).size);
  const all: Entity[] = [
    {
      '@id': METADATA,
      '@type': 'CreativeWork',
      conformsTo: { '@id': 'https://w3id.org/ro/crate/1.2' },
      about: { '@id': './' },
    },
    {
      '@id': './',
      '@type': 'Dataset',
      name,
      description: `A corpus of ${described.length} scholarly works, ${papers.size} of them with their papers, made with DocsToKG.`,
      datePublished: at,
      license: { '@id': ROOT_LICENCE },
      hasPart: [...files.map(({ path }) => path), ...papers.values()].map((path) => ({ '@id': idOfPath(path) })),
      mentions: described.map((work) => ({ '@id': idOfWork(work) })),
    },
    {
      '@id': ROOT_LICENCE,
      '@type': 'CreativeWork',
      name: 'Each paper under its own licence',
      description:
        'The licence of each paper is with its file and its entry. Titles, authors and citations are facts; sentences in the graph are quoted from the papers.',
    },
    {
      '@id': '#docstokg',
      '@type': 'SoftwareApplication',
      name: 'DocsToKG',
      version: packageVersion(),
      url: 'https://github.com/docstokg/docstokg',
    },
    {
      '@id': '#export',
      '@type': 'CreateAction',
      name: 'Export of the corpus',
      endTime: at,
      instrument: { '@id': '#docstokg' },
      result: { '@id': './' },
    },
  ];
  for (const { path, format, about } of files)
    all.push({
      '@id': path,
      '@type': 'File',
      name: path,
      description: about,
      encodingFormat: format,
      contentSize: await sizeOf(path),
    });
  const licences = new Map<string, Entity>();
  for (const work of described) {
    const licence = work.licence === null ? undefined : licenceOf(work.licence);
    if (licence) licences.set(licence['@id'], licence);
    const path = papers.get(work.id);
    const license = licence && { license: { '@id': licence['@id'] } };
    all.push(articleOf(work, { ...license, ...(path !== undefined && { encoding: { '@id': idOfPath(path) } }) }));
    if (path !== undefined)
      all.push({
        '@id': idOfPath(path),
        '@type': 'File',
        name: work.title ?? basename(path),
        encodingFormat: FORMATS[extname(path).toLowerCase()] ?? 'application/octet-stream',
        contentSize: await sizeOf(path),
        about: { '@id': idOfWork(work) },
        ...license,
      });
  }
  return [...all, ...licences.values()];
}

const FORMATS: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.html': 'text/html',
  '.xml': 'application/xml',
};

function articleOf(work: LibraryWork, more: object): Entity {
  const { record, title, year, doi } = work;
  return {
    '@id': idOfWork(work),
    '@type': 'ScholarlyArticle',
    name: title ?? record.id,
    identifier: doi === null ? record.id : `https://doi.org/${doi}`,
    creditText: apaCitation(record),
    ...(year !== null && { datePublished: String(year) }),
    ...more,
  };
}

function idOfWork({ doi, id }: LibraryWork): string {
  return doi === null ? `#${encodeURIComponent(id)}` : encodeURI(`https://doi.org/${doi}`);
}

/** The path as a part of an address. */
function idOfPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function licenceOf(printed: string): Entity {
  const slug = parseLicense(printed)?.slug ?? null;
  const address = /^https?:\/\//.test(printed)
    ? printed
    : slug === 'cc0'
      ? 'https://creativecommons.org/publicdomain/zero/1.0/'
      : slug?.startsWith('cc-')
        ? `https://creativecommons.org/licenses/${slug.slice('cc-'.length)}/4.0/`
        : `#licence-${encodeURIComponent(slug ?? printed)}`;
  return { '@id': address, '@type': 'CreativeWork', name: slug ?? printed };
}
