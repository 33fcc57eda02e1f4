import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import type { Line } from '../page/segment.ts';
import { findByline, namesInLine } from './byline.ts';

/**
 * A title and lines below it, separated by `/`; an empty one is a gap, `^` makes a superscript, `>` starts a column, `_`
 * sets it in italics and `~` in another part of the font; a space before `=` is in the file, but not on the page.
 */
function drafts(text: string): Draft[] {
  const title = {
    kind: 'title',
    page: 1,
    box: { left: 50, right: 550, top: 50, bottom: 70 },
    lines: [line('A title', 66, 20)],
  };
  const lines = text.split('/').flatMap((own, at) => (own === '' ? [] : [line(own, 100 + 13 * at, 10)]));
  const below = lines.map((own) => ({ kind: 'text', page: 1, box: own, lines: [own] }));
  return [title, ...below] as unknown as Draft[];
}

function line(text: string, baseline: number, size: number): Line {
  let x = 50;
  const segments = text.split('>').map((part) => {
    const name = part.startsWith('_') ? 'Italic' : part.startsWith('~') ? 'Roman2' : 'Roman';
    const font = { name, italic: name === 'Italic' };
    const glyphs = [...part.replace(/^[_~]/u, '').matchAll(/(\s*)([\^=]?)(\S)/gu)].map(
      ([, space = '', sign = '', letter = '']) => {
        const raised = sign === '^' ? sign : '';
        x += space.length > 1 ? 10 : sign === '=' ? 0 : 3 * space.length;
        x += 5;
        const place = raised === '' ? { size, baseline } : { size: 0.7 * size, baseline: baseline - 4 };
        return { text: letter, ...place, font, left: x - 5, right: x, spaced: space !== '' };
      },
    );
    const box = { left: glyphs[0]?.left ?? x, right: x, top: baseline - size, bottom: baseline + 2 };
    x += 100;
    return { ...box, text: part.replaceAll(/[\^_~=]/g, ''), size, baseline, font, glyphs };
  });
  const [first] = segments;
  return { ...first, page: 1, right: x - 100, text: text.replaceAll(/[\^>_~=]/g, ''), segments } as unknown as Line;
}

const BODY = [
  {
    kind: 'text',
    text: 'we study the drug design and lung cancer of river fish in open water; no drug design, no lung cancer, no river, no fish',
  },
] as Block[];

const find = (known: string, text: string): string[] => findByline(drafts(text), known, BODY);

test('names are read without marks, degrees, ORCID icons and addresses', () => {
  assert.deepEqual(
    find(
      '',
      'Ada B. Stone^1^,^2, Carl van der BrookID^1*,/Łukasz Müller-Field^3 & J.-P. d’Arc^2/Plain University, Riverton',
    ),
    ['Ada B. Stone', 'Carl van der Brook', 'Łukasz Müller-Field', 'J.-P. d’Arc'],
  );
  assert.deepEqual(find('', 'Ada Stone, MD^a, Carl Brook, MSc, PhD^b/Hospital of the Plain'), [
    'Ada Stone',
    'Carl Brook',
  ]);
  assert.deepEqual(find('', 'ADA STONE* AND CARL BROOK'), ['Ada Stone', 'Carl Brook']);
});

test('a name split over two rows is one name', () => {
  assert.deepEqual(find('', 'Ada Stone^1, Carl/Brook^2, Eva Field^1/Riverton'), [
    'Ada Stone',
    'Carl Brook',
    'Eva Field',
  ]);
});

test('names in a row, in columns or in a list are read', () => {
  assert.deepEqual(find('', 'Ada Stone>Carl Brook>Eva Field/_Plain Town>_River Town>_Hill Town'), [
    'Ada Stone',
    'Carl Brook',
    'Eva Field',
  ]);
  assert.deepEqual(find('', 'Ada Stone^1/Carl Brook^2>^1Plain University/Eva Field^2>Riverton, California'), [
    'Ada Stone',
    'Carl Brook',
    'Eva Field',
  ]);
  assert.deepEqual(find('', 'Ada Maria Stone/Carl Brook/Bartholomew Augustus Hillfield'), [
    'Ada Maria Stone',
    'Carl Brook',
    'Bartholomew Augustus Hillfield',
  ]);
});

test('marks may be separate, on the line or between names; places in italics after names are not names', () => {
  assert.deepEqual(
    find('', 'Ada Stone a, Carl J. Brook III b,*, Eva Field a/Plain Town'.replaceAll(/ ([ab])\b/g, ' ^$1')),
    ['Ada Stone', 'Carl J. Brook III', 'Eva Field'],
  );
  assert.deepEqual(find('', 'By Ada Stone* and Carl Brook*'), ['Ada Stone', 'Carl Brook']);
  assert.deepEqual(find('', 'Ada Maria Portela Fernandes/de Stone^1/Carl Brook^2'), [
    'Ada Maria Portela Fernandes de Stone',
    'Carl Brook',
  ]);
  assert.deepEqual(find('', 'Ada Stone//Faculty of Rivers, Plain University'), ['Ada Stone']);
});

test('a list of names that begins or ends with other text is ignored', () => {
  assert.deepEqual(find('', 'Cite as: Ada Stone,/Carl Brook, Eva Field,/Max Hill. On the motion of sand'), []);
  assert.deepEqual(find('', 'Ada Stone, Carl Brook,/some others and their friends'), []);
});

test('a group that the authors represent is not an author', () => {
  assert.deepEqual(find('', 'Ada Stone, Carl Brook, for the Plain Study Group (PSG)'), ['Ada Stone', 'Carl Brook']);
  assert.deepEqual(find('', 'Ada Stone, Carl Brook and Eva Field, on behalf of the River/Consortium'), [
    'Ada Stone',
    'Carl Brook',
    'Eva Field',
  ]);
  assert.deepEqual(find('', 'Ada Stone^1, Carl Brook^2, and Rivers Committee for the/Plain of the South'), [
    'Ada Stone',
    'Carl Brook',
  ]);
});

test('family names printed first are moved to the end', () => {
  assert.deepEqual(find('', 'Gruia AT**, Horhat FG*'), ['AT Gruia', 'FG Horhat']);
  assert.deepEqual(find('', 'Stone, A. B., Brook, C.'), ['A. B. Stone', 'C. Brook']);
  assert.deepEqual(find('', 'Bernard CS Whitfield^1, Ada Stone^2'), ['Bernard CS Whitfield', 'Ada Stone']);
});

test('topics, places, journals and notes are not authors', () => {
  assert.deepEqual(find('', 'Drug Design; Lung Cancer'), []);
  assert.deepEqual(find('', 'This article was published in the following journal:/Infection and Drug Resistance'), []);
  assert.deepEqual(find('', 'Benoît Legat^1/1 KU Leuven'), ['Benoît Legat']);
  assert.deepEqual(find('', 'Benoît Legat^1/KU Leuven'), ['Benoît Legat']);
  assert.deepEqual(find('', 'Academic Editor: Ada Stone'), []);
});

test('uncertain names are left out', () => {
  assert.deepEqual(find('', 'River Fish'), []);
  assert.deepEqual(find('', 'Ewa SkaBa^1, Tomasz UliwiNski^2'), [], 'letters with wrong codes in the file');
  assert.deepEqual(find('', 'River Town,'), [], 'a comma is not a mark');
  assert.deepEqual(find('', 'Old Mill'), [], 'one pair of words without any sign of a name');
  assert.deepEqual(find('', 'Ada Stone^1, Carl Brook^2, Mary E.'), [], 'a name that is cut off');
  assert.deepEqual(find('Ada Stone', 'Received 3 May 2020'), [], 'files often name the first author only');
  assert.deepEqual(find('Ada Stone', 'Ada Stone'), ['Ada Stone'], 'the file confirms a single name');
  assert.deepEqual(find('Microsoft Word', 'Received 3 May 2020'), []);
});

test('a date below the names is not part of the last one, and confirms a single name', () => {
  assert.deepEqual(find('', 'Ada Stone>Carl Brook//November 17, 2026'), ['Ada Stone', 'Carl Brook']);
  assert.deepEqual(find('', 'Ada Stone//17 May 2026'), ['Ada Stone']);
  assert.deepEqual(find('', 'Technical Report//May 2026'), []);
  assert.deepEqual(find('', 'Ada May^1, April Brook^2'), ['Ada May', 'April Brook']);
});

test('all rows of names above their addresses are read', () => {
  assert.deepEqual(
    find('', 'Ada Stone^1>Carl Brook^1/_Plain Works>_River Lab//Eva Field^1>Max Hill^2/_River Lab>_Plain Works'),
    ['Ada Stone', 'Carl Brook', 'Eva Field', 'Max Hill'],
  );
  assert.deepEqual(
    find('', 'Ada Stone/_Plain University/Carl Maria Broadbrook/_River Institute/Eva Field/_Plain University'),
    ['Ada Stone', 'Carl Maria Broadbrook', 'Eva Field'],
  );
  assert.deepEqual(find('', 'Broad Plains (from the first days until now)'), [], 'a heading with a remark in brackets');
});

test('a wide space separates names, as on slides', () => {
  assert.deepEqual(find('', 'Ada Stone  Carl van der Brook'), ['Ada Stone', 'Carl van der Brook']);
});

test('the author on the title page of a thesis is found below a label', () => {
  assert.deepEqual(find('', 'A thesis submitted for the degree of/Doctor of Philosophy//by//Ada Stone'), ['Ada Stone']);
  assert.deepEqual(find('', 'Dissertation//vorgelegt von//Ada Stone'), ['Ada Stone']);
  assert.deepEqual(find('', 'A thesis submitted for the degree of//Broad Plains'), []);
});

test('names in other languages are read, joined by their words for “and” or in CJK characters', () => {
  assert.deepEqual(find('', 'Jan de Vries en Anneke van der Berg'), ['Jan de Vries', 'Anneke van der Berg']);
  assert.deepEqual(find('', '张伟^1，李娜^2，欧阳芳'), ['张伟', '李娜', '欧阳芳']);
  assert.deepEqual(find('', '山田 太郎、鈴木 花子'), ['山田 太郎', '鈴木 花子']);
  assert.deepEqual(find('', '김철수, 이영희'), ['김철수', '이영희']);
  assert.deepEqual(find('', '摘要/河流携带泥沙，泥沙在下游沉积。'), []);
});

test('names are distinguished from places', () => {
  assert.deepEqual(namesInLine('Ada B. Stone1,2, Carl van der Brook∗ and Łukasz Müller-Field'), [
    'Ada B. Stone',
    'Carl van der Brook',
    'Łukasz Müller-Field',
  ]);
  assert.deepEqual(namesInLine('Department of Water, University of the Plain'), []);
  assert.deepEqual(namesInLine('ada@rivers.example'), []);
});

test('one name among many may be of words, and given names with hyphens are no words of the text', () => {
  const names = 'Ada Stone^1, Bo Hill^2, River Fish^1, Carl Brook^2, Dora Lake^1';
  assert.deepEqual(find('', `${names}/^1Plain University`), names.replaceAll(/\^\d/g, '').split(', '));
  assert.deepEqual(find('', 'River Fish, Open Water, Ada Stone/^1Plain University'), []);
  const text = [{ kind: 'text', text: 'Li-ming Wu and Ada Stone thank Li-ming Wu.' }] as Block[];
  assert.deepEqual(findByline(drafts('Li-ming Wu^1, Ada Stone^1'), '', text), ['Li-ming Wu', 'Ada Stone']);
  assert.deepEqual(find('', 'Ada Stone, PharM^1, Bo Hill, MD^2/^1Plain University'), ['Ada Stone', 'Bo Hill']);
});

test('editors beside the title are no authors', () => {
  const at = (text: string, top: number, left: number): Draft => {
    const own = line(text, top, 10);
    const move = <T extends { left: number; right: number }>(box: T): T => ({
      ...box,
      left: box.left + left,
      right: box.right + left,
    });
    const segments = own.segments.map((each) => ({ ...move(each), glyphs: each.glyphs.map((glyph) => move(glyph)) }));
    const moved = { ...move(own), segments };
    return { kind: 'text', page: 1, box: moved, lines: [moved] } as unknown as Draft;
  };
  const title = { ...drafts('')[0], box: { left: 250, right: 550, top: 50, bottom: 70 } } as unknown as Draft;
  const found = findByline(
    [
      title,
      at('Bo Editor,', 90, 0),
      at('Plain University, Spain', 103, 0),
      at('Ada Stone^1 and Carl Brook^2', 120, 200),
    ],
    '',
    BODY,
  );
  assert.deepEqual(found, ['Ada Stone', 'Carl Brook']);
});

test('a particle of one letter before a family name joins it, and before a whole name separates two', () => {
  assert.deepEqual(namesInLine('Joyce H. Cunha e Silva, Diego Paschoal'), ['Joyce H. Cunha e Silva', 'Diego Paschoal']);
  assert.deepEqual(namesInLine('Ana Prado e Rui Campos'), ['Ana Prado', 'Rui Campos']);
});

test('one of many people may have a family name of one letter, and a city with its state is nobody', () => {
  const names = ['Ada Stone', 'Bo Hill', 'Rehka T', 'Mary Somerville', 'Carl Brook'];
  assert.deepEqual(namesInLine(names.join(', ')), names);
  assert.deepEqual(namesInLine('Ada Stone, Bo T'), []);
  assert.deepEqual(namesInLine('Cleveland, OH'), []);
  assert.deepEqual(namesInLine('South Africa, New Zealand'), []);
  assert.deepEqual(namesInLine('Stone, A., Hill, B.'), ['A. Stone', 'B. Hill']);
});

test('a space of the file that the page does not show parts no name, and a font may be in the file twice', () => {
  assert.deepEqual(find('', 'Ada Warfi =eld^1, Carl Brook^2,/~Eva Field^1'), [
    'Ada Warfield',
    'Carl Brook',
    'Eva Field',
  ]);
});

test('family names may be in capitals, and marks in front of the names', () => {
  assert.deepEqual(namesInLine('Hyunwook KIM, Jun-Pyo MYONG, Li HU'), ['Hyunwook KIM', 'Jun-Pyo MYONG', 'Li HU']);
  assert.deepEqual(find('', '1Ada Stone, 2Carl Brook, 3Eva Field//1Plain University, Riverton'), [
    'Ada Stone',
    'Carl Brook',
    'Eva Field',
  ]);
  assert.deepEqual(find('', '1Plain Town, River Land, 2Hill Town, Sea Land/some text of the paper follows here'), []);
});
