// `node scripts/doors.ts` prints what the doors of the package promise, and what of it has no doc comment.
// test/doors.test.ts fails for an undocumented name or field.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import type { Class, Comment, Node, Program, TSInterfaceBody, TSTypeLiteral } from 'oxc-parser';
import { parseSync } from 'oxc-parser';

const SOURCE = join(import.meta.dirname, '..', 'src');

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

/** A declaration that a door exports. */
interface Found {
  readonly file: SourceFile;
  /** Where its doc comment ends. */
  readonly start: number;
  readonly node: Node;
}

const files = new Map<string, SourceFile>();

function read(path: string): SourceFile {
  const known = files.get(path);
  if (known) return known;
  const text = readFileSync(path, 'utf8');
  const { program, comments } = parseSync(path, text);
  const file = { path, text, program, comments };
  files.set(path, file);
  return file;
}

/** Follows re-exports to the declaration of a name. */
function find(path: string, name: string): Found | undefined {
  const file = read(path);
  const elsewhere: string[] = [];
  for (const statement of file.program.body) {
    if (statement.type === 'ExportAllDeclaration') elsewhere.push(statement.source.value);
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const { declaration, source, start } = statement;
    if (declaration && namesOf(declaration).includes(name)) return { file, start, node: declaration };
    for (const { exported, local } of statement.specifiers)
      if (nameOf(exported) === name && source) return find(join(dirname(path), source.value), nameOf(local));
  }
  for (const source of elsewhere) {
    const found = find(join(dirname(path), source), name);
    if (found) return found;
  }
  return undefined;
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' ? String(node.value) : '';
}

function namesOf(node: Node): string[] {
  if (node.type === 'VariableDeclaration') return node.declarations.map(({ id }) => nameOf(id));
  return 'id' in node && node.id ? [nameOf(node.id)] : [];
}

/** The names that a door exports, in the order of the file. */
function exportsOf(door: string): string[] {
  return read(door).program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' ? statement.specifiers.map(({ exported }) => nameOf(exported)) : [],
  );
}

function isDocumented({ text, comments }: SourceFile, start: number, between = ''): boolean {
  return comments.some(
    ({ type, value, end }) =>
      type === 'Block' && value.startsWith('*') && end <= start && text.slice(end, start).trim() === between,
  );
}

/** Fields and methods without a comment; a `kind` that tells the members of a union apart needs none. */
function bareMembers(file: SourceFile, node: Node): string[] {
  if (node.type === 'TSInterfaceDeclaration') return bareFields(file, node.body);
  if (node.type === 'TSTypeLiteral') return bareFields(file, node);
  if (node.type === 'ClassDeclaration') return bareMethods(file, node);
  if (node.type === 'TSTypeAliasDeclaration') return bareMembers(file, node.typeAnnotation);
  if (node.type === 'TSIntersectionType') return node.types.flatMap((each) => bareMembers(file, each));
  // A sentence about a member of a union covers its fields.
  if (node.type === 'TSUnionType')
    return node.types.flatMap((each) => (isDocumented(file, each.start, '|') ? [] : bareMembers(file, each)));
  return [];
}

function bareFields(file: SourceFile, body: TSInterfaceBody | TSTypeLiteral): string[] {
  const members = 'members' in body ? body.members : body.body;
  return members.flatMap((member) => {
    if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') return [];
    const name = nameOf(member.key);
    return name === 'kind' || name === '' || isDocumented(file, member.start) ? [] : [name];
  });
}

function bareMethods(file: SourceFile, { body }: Class): string[] {
  const seen = new Set<string>();
  return body.body.flatMap((member) => {
    if (member.type !== 'MethodDefinition' && member.type !== 'PropertyDefinition') return [];
    const name = nameOf(member.key);
    // Private members, the constructor, symbols, and the second signature of an overload.
    if (member.key.type !== 'Identifier' || member.computed || name === 'constructor' || seen.has(name)) return [];
    seen.add(name);
    return isDocumented(file, member.start) ? [] : [name];
  });
}

/** What a door promises. */
export interface Promised {
  readonly door: string;
  readonly name: string;
  /** The name itself and its members, where they have no comment. */
  readonly undocumented: readonly string[];
}

/** Every name that a door of the package exports. */
export function promisedNames(): Promised[] {
  return globSync('doors/*.ts', { cwd: SOURCE })
    .sort()
    .flatMap((door) =>
      exportsOf(join(SOURCE, door)).map((name) => {
        const found = find(join(SOURCE, door), name);
        if (!found) return { door, name, undocumented: [`${door} exports ${name}, which is nowhere`] };
        const place = relative(SOURCE, found.file.path);
        const own = isDocumented(found.file, found.start) ? [] : [`${place} ${name}`];
        const members = bareMembers(found.file, found.node).map((member) => `${place} ${name}.${member}`);
        return { door, name, undocumented: [...own, ...members] };
      }),
    );
}

if (import.meta.main) {
  const promised = promisedNames();
  for (const [door, names] of Map.groupBy(promised, ({ door }) => door))
    console.log(`${door}: ${names.map(({ name }) => name).join(' ')}`);
  const undocumented = new Set(promised.flatMap(({ undocumented }) => undocumented));
  console.log(`\n${promised.length} names, ${undocumented.size} names and fields without a comment`);
  for (const each of undocumented) console.log(`  ${each}`);
}
