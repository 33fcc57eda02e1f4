import { entityName, hasSameNumbers } from '../extract/entity-names.ts';
import { THIS_WORK } from '../extract/reading.ts';
import type { Contribution, EdgeStatement, EntityKind } from '../schema.ts';
import { ENTITY_KINDS } from '../schema.ts';
import type { DecidedNode } from './decided.ts';

// Names that are one because other papers of the corpus say so: a short form that this paper does not write out, and
// "S. aureus" in a paper without the name of the genus. They are read from the facts of all documents at every update, so
// that an update and a whole build say the same.

/** The owner of these merges. */
const OWNER = 'record:names across papers';

/** A short form of two letters stands for many things: so many papers must write it out in the same way. */
const LEAST_FOR_TWO_LETTERS = 3;
const MANY_LETTERS = 3;

/** Reads the facts of documents, and says which of their names are one. */
export interface NamesAcross {
  /** Takes the facts of a document, as its file has them. */
  add(facts: string): void;
  /** The merges, as edges from the short name to the long one; undefined if there are none. */
  merges(): Contribution | undefined;
}

/** Nodes that people have decided about are not merged. */
export function namesAcross(decided: readonly DecidedNode[]): NamesAcross {
  const named = new Set<string>();
  /** The long forms that papers give a short form, with the number of papers. */
  const written = new Map<string, Map<string, number>>();
  return {
    add(facts) {
      for (const [, target = ''] of facts.matchAll(NAMED)) named.add(target);
      const pairs = new Set<string>();
      for (const [, short = '', long = ''] of facts.matchAll(DEFINED))
        if (hasSameNumbers(short, long)) pairs.add(`${entityName(unquoted(short))}\n${entityName(unquoted(long))}`);
      for (const pair of pairs) {
        const [short = '', long = ''] = pair.split('\n');
        const longs = written.get(short) ?? new Map<string, number>();
        written.set(short, longs);
        longs.set(long, (longs.get(long) ?? 0) + 1);
      }
    },
    merges() {
      // Who splits a name from its node wants it apart.
      const isDecided = (node: string): boolean => decided.some((each) => each.node === node || each.of === node);
      const edges = [...shortForms(named, written), ...species(named)]
        .filter(({ source, target }) => !isDecided(source) && !isDecided(target))
        .toSorted((a, b) => (a.source < b.source ? -1 : 1));
      return edges.length === 0
        ? undefined
        : { owner: OWNER, work: THIS_WORK, fileSha256: null, references: [], nodes: [], edges };
    },
  };
}

const NAMED = /"kind":"names","target":"([a-z]+:name:[^"\\]+)"/g;
const DEFINED = /"short":"((?:[^"\\]|\\.){1,20})","long":"((?:[^"\\]|\\.){1,120})"/g;

function unquoted(text: string): string {
  return JSON.parse(`"${text}"`) as string;
}

/** Short forms that all papers that write them out write out in one way, where papers name both as one kind of thing. */
function* shortForms(
  named: ReadonlySet<string>,
  written: ReadonlyMap<string, ReadonlyMap<string, number>>,
): Generator<EdgeStatement> {
  for (const [short, longs] of written) {
    const [[long, papers] = ['', 0], ...others] = longs;
    if (others.length > 0 || long === short || long === '') continue;
    if (short.length < MANY_LETTERS && papers < LEAST_FOR_TWO_LETTERS) continue;
    for (const kind of ENTITY_KINDS) {
      const [source, target] = [nodeId(kind, short), nodeId(kind, long)];
      if (named.has(source) && named.has(target))
        yield sameAs(source, target, `written out so in ${papers} of the corpus's papers`);
    }
  }
}

/** "s aureus", where only one species of the corpus has these letters. */
function* species(named: ReadonlySet<string>): Generator<EdgeStatement> {
  const prefix = nodeId('organism', '');
  const names = [...named].flatMap((id) => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []));
  const byInitial = Map.groupBy(
    names.filter((name) => /^\p{L}{3,} \p{L}{3,}$/u.test(name)),
    (name) => `${name.slice(0, 1)} ${name.slice(name.indexOf(' ') + 1)}`,
  );
  for (const name of names) {
    const [full, ...others] = /^\p{L} \p{L}{3,}$/u.test(name) ? (byInitial.get(name) ?? []) : [];
    if (full !== undefined && others.length === 0)
      yield sameAs(
        nodeId('organism', name),
        nodeId('organism', full),
        'the only species of the corpus with these letters',
      );
  }
}

function nodeId(kind: EntityKind, name: string): string {
  return `${kind}:name:${name}`;
}

function sameAs(source: string, target: string, reason: string): EdgeStatement {
  return {
    source,
    kind: 'same_as',
    target,
    evidence: {
      place: { kind: 'metadata', origin: 'corpus', readAt: null },
      method: 'names-across-papers',
      version: 1,
      score: 0.9,
      detail: { reason },
    },
  };
}
