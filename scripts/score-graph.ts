import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { pathToFileURL } from 'node:url';

import { findAbbreviations } from '../src/graph/extract/abbreviations.ts';
import { findCallouts } from '../src/graph/extract/callouts.ts';
import { findQuantities, measuredBy } from '../src/graph/extract/quantities.ts';
import { Reading, sentencesOf } from '../src/graph/extract/reading.ts';
import { findSoftware } from '../src/graph/extract/software.ts';
import { extractDocument } from '../src/graph/extract/extract-document.ts';
import { entityName } from '../src/graph/extract/entity-names.ts';
import { namesAcross } from '../src/graph/build/names-across.ts';
import { taggedOwner } from '../src/graph/extract/facts.ts';
import { tagDocument } from '../src/graph/extract/tagging.ts';
import type { EntityKind } from '../src/graph/schema.ts';
import { ENTITY_KINDS } from '../src/graph/schema.ts';
import { openTagger } from '../src/tagger/index.ts';
import { lettersOf } from '../src/base/index.ts';
import type { FindingRelation } from '../src/graph/index.ts';
import type { CitedWork } from '../src/graph/link/parse-reference.ts';
import { linkReference, readPrintedReference, referenceKeys, workKeys } from '../src/graph/link/link.ts';
import { parseFile } from '../src/parse/index.ts';
import { checkOptions } from '../test/support/options.ts';
import { around, writeOutRanges } from './score/callout-context.ts';
import { nothingMeasured, OPEN_PAPERS, readJsonLines, SHARED } from './score/data.ts';
import type { TrueCitations } from './score/jats-citations.ts';
import { readJatsCitations } from './score/jats-citations.ts';
import type { Figures, ReadList } from './score/reference-lists.ts';
import { scoreReferences } from './score/reference-lists.ts';
import { scorePlanted } from './score/planted.ts';
import sameNames from './score/same-names.json' with { type: 'json' };

// npm run score:graph [-- --task planted|linking|callouts|abbreviations|quantities|entities|software] [--data DIR]
// Scores what the graph is made of: on open data, with the half that the rules were written on and the half that was kept
// aside, and on what was planted in simulated papers, which needs no data. --data scores another folder of the same form,
// or the folder of one task. Exit 1 when a floor is missed, 2 when there is nothing to score.

interface ScoreRow {
  readonly name: string;
  readonly f1: number | null;
  readonly p: number | null;
  readonly r: number | null;
  /** On the half that was looked at, and on the half of which only the figures were. */
  readonly work: number | null;
  readonly kept: number | null;
  readonly floor: number;
  readonly leastPrecision?: number;
  readonly leastRecall?: number;
}

interface Task {
  readonly group: string;
  readonly score: () => Promise<ScoreRow[]>;
}

type Document = Readonly<Record<string, unknown>> & { readonly id: string; readonly text: string };

const tool = join(SHARED, 'tools', 'graph-score', 'src');
const OPEN_DATA = join(SHARED, 'data');
/** Papers whose entities somebody who read them whole has named, up to fifteen each. */
const GOLD = join(SHARED, 'data', 'understanding', 'open');

/** Finds the folder of one task: in the shared data, or in a tree or folder of the same form. */
type FindFolder = (...path: readonly [room: 'graph' | 'parse', name: string]) => string | undefined;

function folderFinder(root: string): FindFolder {
  return (room, name) =>
    [join(root, room, 'open', name), join(root, 'open', name), join(root, name)].find((path) => existsSync(path));
}

/** Every second document, or every second article where documents are its paragraphs, was kept aside while the rules were written. */
function keptAside(documents: readonly { readonly id: string }[]): ReadonlySet<string> {
  const groups = [...Map.groupBy(documents, ({ id }) => id.replace(/^([0-9a-f]{10})-\d+$/, '$1')).values()];
  return new Set(groups.filter((_, at) => at % 2 === 1).flatMap((group) => group.map(({ id }) => id)));
}

async function scorer<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(join(tool, file)).href)) as T;
}

/** What can be scored on the data of a folder, in the order it is printed. */
function graphTasks(data = OPEN_DATA): Task[] {
  const find = folderFinder(data);
  const hasScorer = existsSync(tool);
  const tasks: readonly (readonly [
    group: string,
    folder: string | undefined,
    score: (folder: string) => Promise<ScoreRow[]>,
  ])[] = [
    ['linking', find('graph', 'linking'), linking],
    ['callouts', find('graph', 'citation-contexts'), (folder) => citations(folder, 'JATS', '.jats.xml', 0.985)],
    ['callouts', find('parse', 'pmc'), (folder) => citations(folder, 'published PDFs', '.pdf', 0.9)],
    ['callouts', find('parse', 'publishers'), (folder) => citations(folder, 'other publishers', '.pdf', 0.86)],
    ['callouts', hasPapers(data) ? data : undefined, (folder) => citations(folder, 'PDFs of the folder', '.pdf', 0.9)],
    ['abbreviations', find('graph', 'abbreviations'), abbreviations],
    ['quantities', find('graph', 'measurements'), quantities],
    ['entities', existsSync(GOLD) ? GOLD : undefined, entities],
    ['software', find('graph', 'software'), software],
    ['software', find('parse', 'pmc'), () => softwareInPapers(data)],
  ];
  return [
    { group: 'planted', score: planted },
    ...tasks.flatMap(([group, folder, score]) =>
      folder === undefined || !hasScorer ? [] : [{ group, score: () => score(folder) }],
    ),
  ];
}

/** Whether a folder itself holds PDFs with their citations or their JATS beside them. */
function hasPapers(folder: string): boolean {
  return existsSync(folder) && globSync('*.{citations.json,jats.xml}', { cwd: folder }).length > 0;
}

/** Rows for these documents: the scores of all, and of each half. */
function rowsFor<T extends { readonly id: string }, P extends { readonly id: string }>(
  documents: readonly T[],
  predictions: readonly P[],
): (row: Pick<ScoreRow, 'name' | 'floor' | 'leastPrecision'>, score: (some: T[], found: P[]) => Figures) => ScoreRow {
  const kept = keptAside(documents);
  return (row, score) => {
    const part = (keep: (id: string) => boolean): Figures =>
      score(
        documents.filter(({ id }) => keep(id)),
        predictions.filter(({ id }) => keep(id)),
      );
    return { ...row, ...part(() => true), work: part((id) => !kept.has(id)).f1, kept: part((id) => kept.has(id)).f1 };
  };
}

const PLANTED_PAPERS = 28;

/** Citations, named things and values that simulated papers were written around. */
async function planted(): Promise<ScoreRow[]> {
  const scores = await scorePlanted(PLANTED_PAPERS);
  return Object.entries(scores).map(([kind, { right, found, planted: all }]) => {
    const [p, r] = [right / found, right / all];
    const figures = { f1: (2 * p * r) / (p + r), p, r, work: null, kept: null };
    const least = { floor: 0.99, leastPrecision: 0.99, leastRecall: 0.99 };
    return { name: `planted ${kind}, simulated PDFs`, ...figures, ...least };
  });
}

interface Query {
  readonly id: string;
  readonly string: string;
  readonly doi: string | null;
  readonly style: string;
}

const LINKING: readonly (readonly [name: string, floor: number, styles: RegExp])[] = [
  ['linking, titled, clean', 0.995, /^(?!notitle)[a-z]+$/],
  ['linking, titled, noisy', 0.985, /^(?!notitle)[a-z]+\+noise$/],
  ['linking, untitled, clean', 0.9, /^notitle$/],
  ['linking, untitled, noisy', 0.75, /^notitle\+noise$/],
];

async function linking(folder: string): Promise<ScoreRow[]> {
  const { scoreLinking } = await scorer<{
    scoreLinking: (queries: unknown, pool: ReadonlySet<string>, predictions: unknown) => { all: Figures };
  }>('linking.ts');
  const pool = readJsonLines<CitedWork & { readonly key: string; readonly year: string | null }>(
    folder,
    'pool.jsonl',
  ).map(({ key, ...work }) => ({
    key,
    work: { ...work, year: work.year === null ? null : Number.parseInt(work.year, 10) },
  }));
  const keys = new Set(pool.map(({ key }) => key));
  const byKey = new Map<string, number[]>();
  for (const [at, { work }] of pool.entries())
    for (const key of workKeys(work)) byKey.set(key, [...(byKey.get(key) ?? []), at]);
  const queries = readJsonLines<Query>(folder, 'queries.jsonl');
  const predictions = queries.map(({ id, string }) => {
    const reference = readPrintedReference(string);
    const shared = new Map<number, number>();
    for (const key of referenceKeys(reference))
      for (const at of byKey.get(key) ?? []) shared.set(at, (shared.get(at) ?? 0) + (key.startsWith('t:') ? 1 : 5));
    const candidates = [...shared]
      .filter(([, count]) => count > 1)
      .flatMap(([at]) => (pool[at] ? [[pool[at].key, pool[at].work] as const] : []));
    return { id, doi: linkReference(reference, candidates)?.work ?? null };
  });
  return LINKING.map(([name, floor, styles]) => {
    const chosen = queries.filter(({ style }) => styles.test(style));
    const ids = new Set(chosen.map(({ id }) => id));
    const row = rowsFor(
      chosen,
      predictions.filter(({ id }) => ids.has(id)),
    );
    return row({ name, floor, leastPrecision: 0.98 }, (some, found) => scoreLinking(some, keys, found).all);
  });
}

async function abbreviations(folder: string): Promise<ScoreRow[]> {
  const { scorePairs } = await scorer<{ scorePairs: (documents: unknown, predictions: unknown) => { exact: Figures } }>(
    'pairs.ts',
  );
  const documents = readJsonLines<Document>(folder, 'docs.jsonl');
  const predictions = documents.map(({ id, text }) => ({
    id,
    pairs: findAbbreviations(text).map(({ short, long }) => ({ short: short.text, long: long.text })),
  }));
  const row = rowsFor(documents, predictions);
  return [row({ name: 'abbreviations', floor: 0.9 }, (some, found) => scorePairs(some, found).exact)];
}

interface SpanScorer {
  readonly scoreSpans: (
    documents: unknown,
    predictions: unknown,
    key: string,
    keep?: (span: { type?: string }) => boolean,
  ) => { overlap: Figures };
}

async function quantities(folder: string): Promise<ScoreRow[]> {
  const { scoreMeasurements } = await scorer<{
    scoreMeasurements: (
      documents: unknown,
      predictions: unknown,
    ) => Readonly<Record<'overlap' | 'unit' | 'property' | 'entity', Figures>>;
  }>('spans.ts');
  const documents = readJsonLines<Document>(folder, 'docs.jsonl');
  const predictions = documents.map(({ id, text }) => ({ id, quantities: measuredQuantities(text) }));
  const rows = [
    { name: 'quantities, any overlap', of: 'overlap', floor: 0.88, leastPrecision: 0.85 },
    { name: 'quantities, unit', of: 'unit', floor: 0.88, leastPrecision: 0.85 },
    { name: 'quantities, property', of: 'property', floor: 0.37, leastPrecision: 0.4 },
    { name: 'quantities, entity', of: 'entity', floor: 0.29, leastPrecision: 0.4 },
  ] as const;
  const row = rowsFor(documents, predictions);
  return [
    ...rows.map(({ of, ...each }) => row(each, (some, found) => scoreMeasurements(some, found)[of])),
    ...(await taggedRoles(documents)),
  ];
}

/** Property and entity by the tagger, on the articles that it has not learnt from. */
async function taggedRoles(documents: readonly Document[]): Promise<ScoreRow[]> {
  const { scoreMeasurements } = await scorer<{
    scoreMeasurements: (documents: unknown, predictions: unknown) => Readonly<Record<'property' | 'entity', Figures>>;
  }>('spans.ts');
  const leftOut = documents.filter(({ id }) => crc32(id.slice(0, id.lastIndexOf('-'))) % 5 === 0);
  await using tagger = await openTagger({ threads: 0 });
  const predictions = [];
  for (const { id, text } of leftOut) {
    const quantities = [];
    const sentences = sentencesOf(text);
    for (const { start, end } of findQuantities(text)) {
      const sentence = sentences.find((each) => start >= each.start && end <= each.end);
      if (!sentence) continue;
      const from = sentence.start;
      const roles = await tagger.rolesOf(text.slice(from, sentence.end), { start: start - from, end: end - from });
      const { property, entity } = taggedOwner(roles);
      const move = (at: typeof property): object | undefined =>
        at ? { start: from + at.start, end: from + at.end } : undefined;
      quantities.push({
        start,
        end,
        ...(property && { property: move(property) }),
        ...(entity && { entity: move(entity) }),
      });
    }
    predictions.push({ id, quantities });
  }
  const found = scoreMeasurements(leftOut, predictions);
  return (['property', 'entity'] as const).map((of) => ({
    name: `quantities, ${of}, by the tagger`,
    ...found[of],
    work: null,
    kept: found[of].f1,
    floor: 0.4,
  }));
}

/** Types of the gold standard, and the kinds of nodes that they are here. */
const GOLD_TYPES: Readonly<Record<string, EntityKind>> = {
  disease: 'disease',
  chemical: 'chemical',
  'gene or protein': 'gene',
  organism: 'organism',
  place: 'place',
  organisation: 'organisation',
  software: 'software',
};

/**
 * For each type: how many of the entities that a reader named are nodes of that type (R), and of those that are nodes at
 * all, how many have that type (P). A reader names fifteen at most, so whatever else is found is not judged here. Findings
 * likewise: those whose sentence states a finding here (R, and so the figures of the halves), and of these the ones with
 * the same relation (P).
 */
async function entities(folder: string): Promise<ScoreRow[]> {
  await using tagger = await openTagger({ threads: 0 });
  const found: { readonly id: string; readonly type: EntityKind; readonly kinds: readonly string[] }[] = [];
  const findings: FoundFinding[] = [];
  const names: PrintedNames = new Map();
  const across = namesAcross([]);
  for (const file of globSync('*.json', { cwd: folder }).sort()) {
    const {
      paper,
      entities: named = [],
      findings: told = [],
    } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      readonly paper?: string;
      readonly entities?: readonly { readonly text: string; readonly type: string }[];
      readonly findings?: readonly { readonly relation: string; readonly evidence: string | readonly string[] }[];
    };
    const [path] = globSync(`{pmc,publishers}/${paper}.jats.xml`, { cwd: OPEN_PAPERS });
    if (paper === undefined || path === undefined) continue;
    const { document } = await parseFile(join(OPEN_PAPERS, path));
    const tagged = await tagDocument(new Reading(paper, document, null), tagger);
    const contribution = extractDocument(paper, document, { tagged });
    const { nodes, edges } = contribution;
    across.add(JSON.stringify({ contribution }));
    const stated = edges.flatMap(({ kind, target, evidence: { place } }) =>
      kind === 'states' && place.kind === 'text' ? [{ target, letters: lettersOf(place.quote) }] : [],
    );
    for (const { relation, evidence } of told) {
      const letters = lettersOf([evidence].flat().join(' '));
      const same = stated.filter((each) => letters.includes(each.letters) || each.letters.includes(letters));
      const relations = same.map(({ target }) => nodes.find(({ id }) => id === target)?.data['relation']);
      const wanted = GOLD_RELATIONS.find(([words]) => words.test(relation))?.[1];
      findings.push({ id: paper, isFound: same.length > 0, isSame: relations.some((each) => each === wanted) });
    }
    for (const { kind, target, evidence } of edges) {
      const printed = evidence.detail['printed'];
      if (kind !== 'names' || typeof printed !== 'string') continue;
      const name = `${nodes.find(({ id }) => id === target)?.kind} ${printed}`;
      const known = names.get(name) ?? { paper, nodes: new Set<string>() };
      names.set(name, known);
      known.nodes.add(target);
    }
    for (const { text, type } of named) {
      const kind = GOLD_TYPES[type];
      if (kind === undefined) continue;
      const kinds = nodes
        .filter((node) => isEntity(node.kind) && sameName(node.label, text, kind))
        .map((node) => node.kind);
      found.push({ id: paper, type: kind, kinds });
    }
  }
  // Half of the papers, by a hash of their names, was kept aside while the forms of findings were written.
  const kept = { has: (id: string): boolean => crc32(id) % 2 === 1 };
  const findingFigures = (some: readonly FoundFinding[]): Figures => {
    const [r, p] = [
      share(some, 'isFound'),
      share(
        some.filter(({ isFound }) => isFound),
        'isSame',
      ),
    ];
    return { p, r, f1: p + r === 0 ? 0 : (2 * p * r) / (p + r) };
  };
  const figuresOf = (some: typeof found): Figures => {
    const right = some.filter(({ type, kinds }) => kinds.includes(type)).length;
    const [p, r] = [right / some.filter(({ kinds }) => kinds.length > 0).length, right / some.length];
    return { p, r, f1: right === 0 ? 0 : (2 * p * r) / (p + r) };
  };
  const findingRow = {
    name: `findings that readers named, without a model (${findings.length})`,
    ...findingFigures(findings),
    work: findingFigures(findings.filter(({ id }) => !kept.has(id))).r,
    kept: findingFigures(findings.filter(({ id }) => kept.has(id))).r,
    floor: 0.2,
    leastPrecision: 0.8,
  };
  const rows = [...Map.groupBy(found, ({ type }) => type)].map(([type, some]) => ({
    name: `entities that readers named, ${type} (${some.length})`,
    ...figuresOf(some),
    work: figuresOf(some.filter(({ id }) => !kept.has(id))).f1,
    kept: figuresOf(some.filter(({ id }) => kept.has(id))).f1,
    floor: 0.4,
    leastPrecision: 0.8,
  }));
  for (const { source, target } of across.merges()?.edges ?? [])
    for (const { nodes } of names.values()) if (nodes.has(source)) nodes.add(target);
  return [...rows, findingRow, namesRow(names, kept)];
}

/** Nodes by the name that a paper prints, and the first paper that prints it. */
type PrintedNames = Map<string, { readonly paper: string; readonly nodes: Set<string> }>;

/**
 * Pairs of names that are one and that are not, as somebody who read the papers judged them: of the pairs that share a node
 * the share that may (P), of those that are one the share that share a node (R).
 */
function namesRow(named: PrintedNames, kept: { readonly has: (paper: string) => boolean }): ScoreRow {
  const { same, apart } = sameNames as unknown as Record<
    'same' | 'apart',
    readonly (readonly [string, string, string])[]
  >;
  const judged = [...same.map((pair) => [true, ...pair] as const), ...apart.map((pair) => [false, ...pair] as const)];
  const pairs = judged.flatMap(([isOne, kind, a, b]) => {
    const [first, second] = [named.get(`${kind} ${a}`), named.get(`${kind} ${b}`)];
    return first && second
      ? [{ isOne, isKept: kept.has(first.paper), isJoined: !first.nodes.isDisjointFrom(second.nodes) }]
      : [];
  });
  const figures = (some: typeof pairs): Figures => {
    const right = some.filter(({ isOne, isJoined }) => isOne && isJoined).length;
    const p = right / some.filter(({ isJoined }) => isJoined).length;
    const r = right / some.filter(({ isOne }) => isOne).length;
    return { p, r, f1: (2 * p * r) / (p + r) };
  };
  return {
    name: `names that are one (${pairs.length} pairs)`,
    ...figures(pairs),
    work: figures(pairs.filter(({ isKept }) => !isKept)).f1,
    kept: figures(pairs.filter(({ isKept }) => isKept)).f1,
    floor: 0.85,
    leastPrecision: 0.95,
  };
}

/** A finding that a reader named: whether its sentence states one here, and whether that one says the same. */
interface FoundFinding {
  readonly id: string;
  readonly isFound: boolean;
  readonly isSame: boolean;
}

/** Relations in a reader's words, and what they are here. */
const GOLD_RELATIONS: readonly (readonly [words: RegExp, relation: FindingRelation])[] = [
  [/no difference|not differ|similar|no effect|not significantly/i, 'no difference'],
  [/inhibit|suppress/i, 'inhibits'],
  [/increas|higher|more|greater|improv|longer/i, 'increases'],
  [/decreas|lower|reduc|less|fewer|shorter/i, 'decreases'],
  [/associat|correlat|linked/i, 'associated'],
  [/predict|risk factor/i, 'predicts'],
  [/contain|consist|component|dominat|compris/i, 'contains'],
];

function share(some: readonly FoundFinding[], of: 'isFound' | 'isSame'): number {
  return some.length === 0 ? 0 : some.filter((each) => each[of]).length / some.length;
}

function isEntity(kind: string): boolean {
  return (ENTITY_KINDS as readonly string[]).includes(kind);
}

/** One is the other, or has it as its first or last words: "São Paulo" and "city of São Paulo", "SPSS" and "SPSS 11". */
function sameName(label: string, gold: string, kind: EntityKind): boolean {
  const [a, b] = [entityName(label, kind), entityName(gold, kind)];
  const within = (whole: string, part: string): boolean =>
    part.length > 2 && (whole.startsWith(`${part} `) || whole.endsWith(` ${part}`));
  return a === b || within(a, b) || within(b, a);
}

function measuredQuantities(text: string): object[] {
  const sentences = sentencesOf(text);
  return findQuantities(text).map(({ start, end, unit }) => {
    const sentence = sentences.find((each) => start >= each.start && end <= each.end);
    const from = sentence?.start ?? 0;
    const { property, entity } = sentence
      ? measuredBy(
          text.slice(from, sentence.end),
          { start: start - from, end: end - from },
          unit === undefined || unit.text.includes('%'),
        )
      : { property: null, entity: null };
    const moved = (at: typeof property): object => ({ start: from + (at?.start ?? 0), end: from + (at?.end ?? 0) });
    return {
      start,
      end,
      ...(unit && { unit: unit.text }),
      ...(property && { property: moved(property) }),
      ...(entity && { entity: moved(entity) }),
    };
  });
}

async function software(folder: string): Promise<ScoreRow[]> {
  const { scoreSpans } = await scorer<SpanScorer>('spans.ts');
  const documents = readJsonLines<Document>(folder, 'docs.jsonl');
  // Paragraphs of one article stand in one document, as they do in a corpus.
  const predictions = [...Map.groupBy(documents, ({ id }) => id.replace(/-\d+$/, '')).values()].flatMap(
    (paragraphs) => {
      const found = findSoftware(paragraphs.map(({ text }) => text));
      return paragraphs.map(({ id }, at) => ({
        id,
        mentions: found.filter(({ paragraph }) => paragraph === at).map(({ start, end }) => ({ start, end })),
      }));
    },
  );
  const row = rowsFor(documents, predictions);
  const isSoftware = ({ type }: { type?: string }): boolean => type === 'software';
  return [
    row(
      { name: 'software, any overlap', floor: 0.65, leastPrecision: 0.9 },
      (some, found) => scoreSpans(some, found, 'mentions', isSoftware).overlap,
    ),
  ];
}

/**
 * Names of programs found in the 138 whole papers of the data that were read in their sentences and are right (2026-11-16, where
 * 88 of 89 were). A name that is not among them counts as wrong until it has been read.
 */
const JUDGED_RIGHT: ReadonlySet<string> = new Set(
  `ABAQUS|Adobe Photoshop|AlphaFold3|AxiVision|BEAST|BLAST|BayesNet|BioEdit|BioEstat|Bioconductor|Biostate|Bowtie|CT Analyser|CellQuest Pro|ChIPpeakAnno|Clustal|EEGLAB|EndNote|Epi Info|EpiProfile|FigTree|Fiji|FlowJo|G*Power|Geneious|Geno3D|GraphPad Prism|ISOQuant|ITNC|Image Lab|ImageJ|ImageQuant|Imaris|IncucyteZoom2016B|Ingenuity Pathway Analysis|JMP|KaleidaGraph|LAS AF|LIBSVM|LabVIEW|Letswave|MATLAB|MEGA|MUSCLE|MassHunter|Mfold|Microsoft Excel|Minitab|MolProbity|MotionCor2|NIS-Element|NIS-Elements|NQuery Advisor|NeuronJ|PLGS|POLY|PSORT|PowerPoint|Primer Express|PyMOL|R|R2R|REDCap|RELION|SAS|SHELXL|SHELXT|SPSS|SigmaPlot|SigmaStat|Signal|SoftMax Pro|Spectrum Mill|StatView|Stata|Statistica|Systat|TRACER|TargetP|TempEst|TreeView|UCSF Chimera|Volocity|XLSTAT|ZEN|calibFit|ggplot2|iGraph`.split(
    '|',
  ),
);

/** Scored paragraphs all contain a mention; whole papers show false positives. */
async function softwareInPapers(data: string): Promise<ScoreRow[]> {
  const found = new Set<string>();
  for (const folder of [join(data, 'parse', 'open'), join(data, 'graph', 'open', 'citation-contexts')])
    for (const path of globSync('**/*.jats.xml', { cwd: folder }).sort()) {
      const { document } = await parseFile(join(folder, path));
      const paragraphs = new Reading(path, document, null).prose.map(({ block }) => block.text);
      for (const { program } of findSoftware(paragraphs)) found.add(program);
    }
  const wrong = [...found].filter((name) => !JUDGED_RIGHT.has(name));
  if (wrong.length > 0) console.error(`names of programs that are wrong or not yet read: ${wrong.join(', ')}`);
  const p = (found.size - wrong.length) / found.size;
  const r = [...JUDGED_RIGHT].filter((name) => found.has(name)).length / JUDGED_RIGHT.size;
  const row = { f1: (2 * p * r) / (p + r), p, r, work: null, kept: null };
  return [{ name: 'software names, whole papers', ...row, floor: 0.85, leastPrecision: 0.85 }];
}

/** Callouts and reference lists of papers. Their truth is in `ID.citations.json`, or in the JATS of a PDF. */
async function citations(folder: string, name: string, ending: string, floor: number): Promise<ScoreRow[]> {
  const { scoreCallouts } = await scorer<{
    scoreCallouts: (documents: unknown, predictions: unknown) => Readonly<Record<'callouts' | 'links', Figures>>;
  }>('callouts.ts');
  const documents: TrueCitations[] = [];
  const predictions: { id: string; callouts: unknown[] }[] = [];
  const cited: { id: string; callouts: unknown[] }[] = [];
  const lists: ReadList[] = [];
  for (const path of globSync(`*${ending}`, { cwd: folder }).sort()) {
    const truth = truthOf(folder, basename(path, ending));
    if (!truth) continue;
    const { document } = await parseFile(join(folder, path));
    const found = findCallouts(document.blocks);
    // A numbered entry is named by its number, so that an entry the parser missed does not shift the others.
    const labelOf = (position: number): string | number => {
      const label = found.references[position - 1]?.label ?? '';
      return /^\d+$/.test(label) ? label : position;
    };
    const written = writeOutRanges(document.blocks, found.callouts, labelOf);
    documents.push(truth);
    lists.push({ id: truth.id, references: found.references });
    const callouts = written.callouts.map(({ block, start, end, references }) => ({
      refs: references.map(labelOf),
      text: (written.blocks[block]?.text ?? '').slice(start, end),
      ...around(written.blocks, block, start, end),
    }));
    predictions.push({ id: truth.id, callouts });
    cited.push({
      id: truth.id,
      callouts: written.callouts.map(({ further }, at) => ({
        ...callouts[at],
        refs: [...(callouts[at]?.refs ?? []), ...further.map(labelOf)],
      })),
    });
  }
  // Some publishers mark no callout in their XML: whatever is found in such a paper would count as wrong.
  const marked = documents.filter(({ callouts: truth }) => truth.length > 0);
  const ids = new Set(marked.map(({ id }) => id));
  const ofMarked = ({ id }: { readonly id: string }): boolean => ids.has(id);
  const printed = rowsFor(marked, predictions.filter(ofMarked));
  const entries = rowsFor(marked, cited.filter(ofMarked));
  const listed = rowsFor(documents, lists);
  return [
    printed({ name: `callouts, ${name}`, floor }, (some, given) => scoreCallouts(some, given).callouts),
    // Each cited entry counts, wherever a publisher's markup begins and ends a callout.
    entries({ name: `cited entries, ${name}`, floor }, (some, given) => scoreCallouts(some, given).links),
    ...(ending === '.pdf' ? REFERENCE_ROWS : []).map(({ of, ...row }) =>
      listed({ ...row, name: `${row.name}, ${name}` }, (some, given) => scoreReferences(some, given)[of]),
    ),
  ];
}

const REFERENCE_ROWS = [
  { name: 'reference entries', of: 'entries', floor: 0.94 },
  { name: 'reference years', of: 'years', floor: 0.98 },
  { name: 'reference titles', of: 'titles', floor: 0.88 },
  { name: 'reference DOIs', of: 'dois', floor: 0.98 },
] as const;

function truthOf(folder: string, id: string): TrueCitations | undefined {
  const [json, jats] = [join(folder, `${id}.citations.json`), join(folder, `${id}.jats.xml`)];
  if (existsSync(json)) return JSON.parse(readFileSync(json, 'utf8')) as TrueCitations;
  return existsSync(jats) ? readJatsCitations(id, readFileSync(jats, 'utf8')) : undefined;
}

const options = checkOptions({ task: '', data: '' });
const tasks = graphTasks(options.data === '' ? undefined : options.data);
const scored = tasks.filter(({ group }) =>
  options.task === '' ? options.data === '' || group !== 'planted' : group === options.task,
);
if (!tasks.some(({ group }) => group !== 'planted'))
  console.error(`there is no data or no scorer at ${options.data || SHARED}: only simulated papers can be scored`);
if (scored.length === 0) nothingMeasured('no task has this name, or data');

const figure = (value: number | null): string => (value === null ? '–' : value.toFixed(3)).padStart(7);
const missed: string[] = [];
console.log(`${' '.repeat(38)}    all   work   kept  floor      P      R`);
for (const task of scored) {
  for (const row of await task.score()) {
    const low =
      row.f1 !== null &&
      (row.f1 < row.floor || (row.p ?? 0) < (row.leastPrecision ?? 0) || (row.r ?? 0) < (row.leastRecall ?? 0));
    if (low) missed.push(row.name);
    console.log(
      row.name.padEnd(38) +
        [row.f1, row.work, row.kept, row.floor, row.p, row.r].map(figure).join('') +
        (low ? '  MISSED' : ''),
    );
  }
}
console.log(missed.length > 0 ? `\nmissed: ${missed.join(', ')}` : '\nevery floor is reached');
process.exit(missed.length > 0 ? 1 : 0);
