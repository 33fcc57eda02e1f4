import jsonld from 'jsonld';

// What the RO-Crate 1.2 specification demands of a metadata file (its MUSTs), checked without its context being fetched.

/**
 * The words of the context that crates are written with, as the context has them (https://w3id.org/ro/crate/1.2/context,
 * CC0). A word that is not here fails: look it up there first.
 */
const SCHEMA = [
  'CreateAction',
  'CreativeWork',
  'Dataset',
  'ScholarlyArticle',
  'SoftwareApplication',
  'about',
  'contentSize',
  'creditText',
  'datePublished',
  'description',
  'encoding',
  'encodingFormat',
  'endTime',
  'hasPart',
  'identifier',
  'instrument',
  'license',
  'mentions',
  'name',
  'result',
  'url',
  'version',
] as const;
const CONTEXT = {
  '@context': {
    ...Object.fromEntries(SCHEMA.map((word) => [word, `http://schema.org/${word}`])),
    File: 'http://schema.org/MediaObject',
    conformsTo: 'http://purl.org/dc/terms/conformsTo',
  },
};
const CONTEXT_URL = 'https://w3id.org/ro/crate/1.2/context';
const PROFILE = 'https://w3id.org/ro/crate/1.2';
const METADATA = 'ro-crate-metadata.json';

type Entity = Readonly<Record<string, unknown>>;

/** What is wrong with a crate: `metadata` is the text of its metadata file, `files` the paths of what lies in its folder. */
export async function crateFaults(metadata: string, files: readonly string[]): Promise<readonly string[]> {
  const document = JSON.parse(metadata) as Entity;
  const graph = document['@graph'];
  if (!Array.isArray(graph)) return ['no @graph'];
  const faults: string[] = [];
  const demand = (isMet: boolean, fault: string): void => {
    if (!isMet) faults.push(fault);
  };
  demand(listOf(document['@context']).includes(CONTEXT_URL), 'the context is not that of RO-Crate 1.2');
  const others = Object.keys(document).filter((key) => key !== '@context' && key !== '@graph');
  demand(others.length === 0, `more than @context and @graph: ${others.join(', ')}`);

  const entities = new Map<string, Entity>();
  for (const entity of graph as readonly Entity[]) {
    const id = entity['@id'];
    if (typeof id !== 'string' || typesOf(entity).length === 0) {
      faults.push(`without @id or @type: ${JSON.stringify(entity).slice(0, 80)}`);
      continue;
    }
    demand(!entities.has(id), `described twice: ${id}`);
    entities.set(id, entity);
    const values = Object.values(entity).flatMap(listOf);
    demand(
      values.every((value) => typeof value !== 'object' || value === null || isReference(value) || '@value' in value),
      `not flat: ${id}`,
    );
  }

  const descriptor = entities.get(METADATA);
  demand(typesOf(descriptor).includes('CreativeWork'), 'the metadata file is not described as a CreativeWork');
  demand(refersTo(descriptor, 'conformsTo').includes(PROFILE), 'the metadata file does not name its version');
  const [rootId = ''] = refersTo(descriptor, 'about');
  const root = entities.get(rootId);
  demand(typesOf(root).includes('Dataset'), 'the root is no Dataset');
  for (const word of ['name', 'description', 'license']) demand(root?.[word] !== undefined, `the root has no ${word}`);
  const date = root?.['datePublished'];
  demand(
    typeof date === 'string' && /^\d{4}-\d\d-\d\d(?:T|$)/.test(date) && !Number.isNaN(Date.parse(date)),
    'the root has no datePublished to the day',
  );

  const parts = new Set<string>();
  const addParts = (entity: Entity | undefined): void => {
    for (const id of refersTo(entity, 'hasPart'))
      if (!parts.has(id)) {
        parts.add(id);
        addParts(entities.get(id));
      }
  };
  addParts(root);
  for (const id of parts)
    demand(typesOf(entities.get(id)).some(isData), `a part is not described as a File or Dataset: ${id}`);
  for (const [id, entity] of entities) {
    for (const target of Object.values(entity).flatMap(listOf).filter(isReference))
      demand(
        entities.has(target['@id']) || isAbsolute(target['@id']),
        `${id} refers to ${target['@id']}, not described`,
      );
    if (id === rootId || !typesOf(entity).some(isData)) continue;
    demand(parts.has(id), `not a part of the root: ${id}`);
    demand(/^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(id), `no URI: ${id}`);
    demand(isAbsolute(id) || files.includes(decodeURIComponent(id)), `not in the folder: ${id}`);
  }

  const documentLoader = async (url: string) => await Promise.resolve({ documentUrl: url, document: CONTEXT });
  try {
    // In safe mode a word that the context does not have is an error.
    const strict = { documentLoader, safe: true, base: 'https://example.org/crate/' };
    await jsonld.expand(document, strict);
  } catch (error) {
    faults.push(`not JSON-LD in the words of the context: ${(error as Error).message}`);
  }
  return faults;
}

const isData = (type: unknown): boolean => type === 'File' || type === 'Dataset';
const isAbsolute = (id: string): boolean => /^[a-z][a-z\d+.-]*:/i.test(id);

function isReference(value: unknown): value is { readonly '@id': string } {
  return typeof value === 'object' && value !== null && '@id' in value && Object.keys(value).length === 1;
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

function typesOf(entity: Entity | undefined): readonly unknown[] {
  return listOf(entity?.['@type']);
}

function refersTo(entity: Entity | undefined, word: string): readonly string[] {
  return listOf(entity?.[word])
    .filter(isReference)
    .map((each) => each['@id']);
}
