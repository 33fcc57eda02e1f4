import { fieldsOf, readFields } from '../../../base/index.ts';
import type { Imprint, Metadata, ParsedDocument, Person } from '../../document.ts';

type Fields = ReturnType<typeof fieldsOf>;

const SIDECAR_VERSION = 1;

/** How a document was parsed: what the stage's manifest says besides its base fields. */
export interface ParseFacts {
  readonly parse_engine: string;
  readonly model_name?: string;
  readonly served_models?: readonly string[];
  readonly vllm_version?: string;
}

export function writeSidecar(
  document: ParsedDocument,
  source: { readonly path: string; readonly sha256: string; readonly kind: string },
  facts: ParseFacts,
): string {
  const { metadata, blocks } = document;
  const count = (kind: string): number => blocks.filter((block) => block.kind === kind).length;
  return `${JSON.stringify(
    {
      version: SIDECAR_VERSION,
      source: source.path,
      source_sha256: source.sha256,
      source_kind: source.kind,
      ...facts,
      title: metadata.title,
      authors: metadata.authors,
      people: metadata.people,
      abstract: metadata.abstract,
      doi: metadata.doi,
      imprint: metadata.imprint && imprintLine(metadata.imprint),
      head: headOf(blocks),
      language: metadata.language,
      page_count: metadata.pageCount,
      needs_ocr: metadata.needsOcr,
      characters: metadata.characters,
      words: metadata.words,
      ocr: metadata.ocr,
      quality: {
        unmapped_glyphs: metadata.quality.unmappedGlyphs,
        columns: metadata.quality.columns,
        confidence: metadata.quality.confidence,
      },
      counts: {
        blocks: blocks.length,
        characters: blocks.reduce((sum, block) => sum + block.text.length, 0),
        headings: count('heading'),
        tables: count('table'),
        pictures: count('picture'),
        formulas: count('formula'),
        references: count('reference'),
      },
    },
    null,
    2,
  )}\n`;
}

/** Title, authors and whatever is between them fit in. */
const HEAD_CHARACTERS = 800;

/** How the text begins, without what is printed around it. */
function headOf(blocks: ParsedDocument['blocks']): string {
  let head = '';
  for (const { kind, text } of blocks) {
    if (head.length >= HEAD_CHARACTERS) break;
    if (kind === 'title' || kind === 'heading' || kind === 'text') head += `${text.slice(0, HEAD_CHARACTERS)}\n`;
  }
  return head.slice(0, HEAD_CHARACTERS);
}

function imprintLine({ arxivId, otherDois, ...rest }: Imprint): Record<string, unknown> {
  return { ...rest, arxiv_id: arxivId, other_dois: otherDois };
}

export interface Sidecar extends Pick<Metadata, 'title' | 'authors' | 'people' | 'abstract' | 'doi' | 'language'> {
  readonly source?: string;
  readonly source_kind?: string;
  readonly source_sha256?: string;
  readonly imprint: Imprint;
  readonly head: string;
}

const TEXTS = ['pmid', 'pmcid', 'date', 'venue', 'publisher', 'volume', 'issue', 'pages', 'license'] as const;
const LISTS = ['issn', 'keywords'] as const;

/** Reads a sidecar; a missing or damaged one says nothing. Fields of another shape than ours are left out. */
export function readSidecar(path: string): Sidecar {
  const value = readFields(path);
  const { people } = value;
  const imprint = fieldsOf(value['imprint']);
  return {
    ...texts(value, ['source', 'source_kind', 'source_sha256', 'title', 'abstract', 'doi', 'language']),
    authors: list(value['authors']),
    ...(Array.isArray(people) && { people: people.map(fieldsOf).flatMap(personOf) }),
    head: typeof value['head'] === 'string' ? value['head'] : '',
    imprint: {
      ...texts(imprint, TEXTS),
      ...Object.fromEntries(LISTS.map((name) => [name, list(imprint[name])])),
      ...(typeof imprint['arxiv_id'] === 'string' && { arxivId: imprint['arxiv_id'] }),
      otherDois: list(imprint['other_dois']),
    },
  };
}

function personOf(value: Fields): Person[] {
  const { name, orcid } = texts(value, ['name', 'orcid']);
  return name === undefined ? [] : [{ name, ...(orcid && { orcid }), institutions: list(value['institutions']) }];
}

export function texts<Name extends string>(value: Fields, names: readonly Name[]): { [Key in Name]?: string } {
  return Object.fromEntries(
    names.flatMap((name) => (typeof value[name] === 'string' && value[name] !== '' ? [[name, value[name]]] : [])),
  ) as { [Key in Name]?: string };
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
