import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Writes every TypeScript snippet of the guides and of doc comments into a file of its own, named after where it stands. */
export function writeSnippets(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const texts = [
    ...globSync('docs/{guides,concepts}/*.md', { cwd: ROOT }),
    ...globSync('docs/*.md', { cwd: ROOT }),
    'README.md',
  ]
    .concat(globSync('src/**/*.ts', { cwd: ROOT }))
    .sort();
  return texts.flatMap((path) =>
    snippetsOf(readFileSync(join(ROOT, path), 'utf8')).map((snippet, at) => {
      const file = join(folder, `${path.replaceAll(/[^\w]+/g, '-')}-${at + 1}.ts`);
      writeFileSync(file, `${snippet}\nexport {};\n`);
      return file;
    }),
  );
}

function snippetsOf(text: string): string[] {
  const plain = text.replaceAll(/^ \* ?/gm, '');
  return [...plain.matchAll(/^```ts\n(.*?)^```/gms)].map(([, snippet = '']) => snippet);
}
