import type { Block } from '../../document.ts';

const words = (list: string): readonly string[] => list.split(' ');

/** Elements that hold text. */
export const LEAVES: ReadonlySet<string> = new Set([
  ...words('title text paragraph caption footnote formula code page_header page_footer reference list_item'),
  ...words('handwritten_text smiles checkbox_selected checkbox_unselected key_value_region form'),
  ...[0, 1, 2, 3, 4, 5, 6].map((level) => `section_header_level_${level}`),
]);

/** Elements that hold other elements. */
export const CONTAINERS: ReadonlySet<string> = new Set(
  words('doctag ordered_list unordered_list inline picture chart otsl table document_index'),
);

/** Cells of a table and the end of a row. */
export const CELL_TOKENS: ReadonlySet<string> = new Set(words('fcel ecel ched rhed srow lcel ucel xcel nl'));

/** What a picture shows; single tokens without a closing tag. */
export const PICTURE_CLASSES: ReadonlySet<string> = new Set([
  ...words('bar_chart box_plot flow_chart line_chart pie_chart scatter_plot table full_page_image page_thumbnail'),
  ...words('photograph chemistry_structure bar_code icon logo qr_code signature stamp engineering_drawing'),
  ...words('screenshot_from_computer screenshot_from_manual geographical_map topographical_map calendar'),
  ...words('crossword_puzzle music other cad_drawing chart decoration electrical_diagram map heatmap illustration'),
  ...words('infographic chemistry_markush_structure chemistry_molecular_structure natural_image person picture_group'),
  ...words('remote_sensing scatter_chart screenshot stacked_bar_chart stratigraphic_chart ui_element'),
]);

/** Classes whose picture is written as `chart`. */
export const CHART_CLASSES: ReadonlySet<string> = new Set(
  words('pie_chart bar_chart stacked_bar_chart line_chart flow_chart scatter_chart scatter_plot heatmap'),
);

const LANGUAGES = words(
  'Ada Awk Bash bc C C# C++ CMake COBOL CSS Ceylon Clojure Crystal Cuda Cython D Dart dc Dockerfile Elixir Erlang FORTRAN Forth Go HTML Haskell Haxe Java JavaScript Julia Kotlin Lisp Lua Matlab MoonScript Nim OCaml ObjectiveC Octave PHP Pascal Perl Prolog Python Racket Ruby Rust SML SQL Scala Scheme Swift TypeScript VisualBasic XML YAML',
);
const BY_LOWER_NAME = new Map(LANGUAGES.map((name) => [name.toLowerCase(), name]));
const ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  `cpp=C++ cs=C# csharp=C# f90=FORTRAN golang=Go js=JavaScript kt=Kotlin objective-c=ObjectiveC py=Python python3=Python
   rb=Ruby rs=Rust sh=Bash shell=Bash ts=TypeScript vb=VisualBasic yml=YAML`
    .split(/\s+/)
    .map((pair) => pair.split('=')),
);

/** Docling's label of a block. */
export function labelOf(kind: Block['kind']): string {
  return kind === 'heading' ? 'section_header' : kind;
}

/** A language by the name the format knows it under; `unknown` when it has none. */
export function codeLanguage(name: string | undefined): string {
  if (name === undefined) return 'unknown';
  const lower = name.toLowerCase();
  return BY_LOWER_NAME.get(lower) ?? ALIASES[lower] ?? 'unknown';
}

/** True for a tag of the closed vocabulary; everything else between angle brackets is text. */
export function isKnownTag(name: string): boolean {
  return (
    LEAVES.has(name) ||
    CONTAINERS.has(name) ||
    CELL_TOKENS.has(name) ||
    PICTURE_CLASSES.has(name) ||
    name === 'page_break' ||
    /^(?:loc|key|value|link)_\d{1,6}$/.test(name) ||
    (/^_[^<>\s]{1,24}_$/.test(name) && (name === '_unknown_' || BY_LOWER_NAME.has(name.slice(1, -1).toLowerCase())))
  );
}
