import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../parse/index.ts';
import type { EntityType } from '../../tagger/index.ts';
import { extractEntities } from './entities.ts';
import { Reading, Statements } from './reading.ts';
import type { TaggedEntity } from './tagging.ts';

/** What is said of paragraphs in which entities are written [type name]. */
function said(...paragraphs: readonly string[]): string[] {
  const tagged: TaggedEntity[] = [];
  const blocks = paragraphs.map((source, order) => {
    let text = '';
    let from = 0;
    for (const match of source.matchAll(/\[(\w+) ([^\]]+)\]/g)) {
      text += source.slice(from, match.index);
      const start = text.length;
      text += match[2];
      from = match.index + match[0].length;
      tagged.push({ block: order, start, end: text.length, label: match[1] as EntityType, sure: 0.99 });
    }
    return { kind: 'text', text: text + source.slice(from), order, regions: [] } as unknown as Block;
  });
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  const reading = new Reading('paper', { pages: [], blocks, metadata }, null);
  const say = new Statements(reading);
  extractEntities(reading, say, { entities: tagged, cells: [] });
  return say.edges.map(({ kind, target, evidence: { place } }) =>
    [kind, target, place.kind === 'text' ? place.quote : ''].join(' | '),
  );
}

test('an entity is a node of its type with the sentences that name it', () => {
  assert.deepEqual(
    said('The [chemical camphor] oil. It killed [organism Aedes aegypti]. [chemical Camphor] is cheap.'),
    [
      'names | chemical:name:camphor | The camphor oil.',
      'names | chemical:name:camphor | Camphor is cheap.',
      'names | organism:name:aedes aegypti | It killed Aedes aegypti.',
    ],
  );
});

test('an abbreviation and the short form of a species are what this paper says they are', () => {
  const targets = said(
    'Latent [disease tuberculosis] (TB) and [organism Escherichia coli] were seen. [disease TB] and [organism E. coli] fell.',
  ).map((line) => line.split(' | ')[1]);
  assert.deepEqual(targets, [
    'disease:name:tuberculosis',
    'disease:name:tuberculosis',
    'organism:name:escherichia coli',
    'organism:name:escherichia coli',
  ]);
});

test('a short form that could be two things stays itself', () => {
  const targets = said(
    '[organism Escherichia coli] and [organism Entamoeba coli] differ. [organism E. coli] fell.',
  ).map((line) => line.split(' | ')[1]);
  assert.deepEqual(targets.at(-1), 'organism:name:e coli');
});

test('one name has one type in a paper, and words that name nothing are left out', () => {
  assert.deepEqual(
    said(
      '[place Washington] grew. [organisation Washington] grew. [place Washington] fell. [disease Diseases] and [gene p] too.',
    ),
    ['names | place:name:washington | Washington grew.', 'names | place:name:washington | Washington fell.'],
  );
});

test('brackets and commas around a name are not part of it', () => {
  assert.deepEqual(
    said('A [chemical iron(II) oxide,] and [chemical (nickel].').map((line) => line.split(' | ')[1]),
    ['chemical:name:iron ii oxide', 'chemical:name:nickel'],
  );
});

test('countries are places by any of their names, without the tagger', () => {
  assert.deepEqual(
    said(
      'Cases in the USA and Viet Nam. The [organisation University of Lodz, Poland] and guinea pigs in the United States.',
    )
      .map((line) => line.split(' | ')[1])
      .sort((a = '', b = '') => a.localeCompare(b)),
    [
      'organisation:name:university of lodz poland',
      'place:name:united states',
      'place:name:united states',
      'place:name:vietnam',
    ],
  );
});

test('an abbreviation is of a type only if its long form is', () => {
  const targets = said(
    'The minimum bactericidal concentration (MBC) was read. The [disease MBC] fell. [gene PUFA] = polyunsaturated fatty acid; SFA = saturated fatty acid. A [gene CHS mutant] grew. Heart failure (HF) rose: [disease Heart failure] kills. [disease HF] too.',
  ).map((line) => line.split(' | ')[1]);
  assert.deepEqual(targets, ['disease:name:heart failure', 'disease:name:heart failure']);
});

test('a plural that a paper defines is its singular too', () => {
  const targets = said('The [disease heart attacks] (HAs) are frequent. A [disease HA] kills.').map(
    (line) => line.split(' | ')[1],
  );
  assert.deepEqual(targets, ['disease:name:heart attack', 'disease:name:heart attack']);
});

test('protocols, indices of symbols, banks of cells, and programs that nobody uses are no entities', () => {
  assert.deepEqual(
    said(
      'The [organisation Halden protocol] was kept. [organism hv] is an index. [chemical essential] oils and [chemical ISO 6888] count. The line [cell NCBI] is old.',
      'This is a [software PNAS] Direct Submission.',
      'The [software Geno3D] server made models.',
      'From the a [organisation c Department of Medicine] came',
      'From 3[organisation 4 Institute of Botany] in [organisation Alnarp] came [organisation healthcare] and [organisation MERS].',
      'The [organisation Ministry of Labour], the [organisation WHO], [organisation People’s Hospital], [organisation Bedoukian Research], Inc. and the [organisation Department of Energy] paid.',
    ).map((line) => line.split(' | ')[1]),
    [
      'organisation:name:ncbi',
      'software:name:geno3d',
      'organisation:name:institute of botany',
      'organisation:name:ministry of labour',
      'organisation:name:who',
      'organisation:name:bedoukian research',
      'organisation:name:department of energy',
    ],
  );
});

test('a gene has the name of one, or a sentence that says so; vectors, programs and families are none', () => {
  assert.deepEqual(
    said(
      '[gene BSL-1] labs are common, and [gene TBLASTN] is a tool. The gene was cloned in [gene pBIN]. [gene PLOX1] was there.',
      'The expression of [gene PLOX1] rose, that of the [gene SDR superfamily] too. [gene Linalool synthase] was seen.',
    ),
    [
      'names | gene:name:plox1 | PLOX1 was there.',
      'names | gene:name:plox1 | The expression of PLOX1 rose, that of the SDR superfamily too.',
      'names | gene:name:linalool synthase | Linalool synthase was seen.',
    ],
  );
});

test('a short form with another number, or with letters that its long form lacks, is another name', () => {
  const names = said(
    'The gene of interleukin-1β and [gene IL-1β (IL-6)] rose. The protein [gene IL-1β] and the protein [gene IL-6] were high.',
    'RICE = rituximab, ifosfamide, carboplatin. [chemical Rituximab] was given, then [chemical RICE].',
  );
  assert.ok(
    names.some((line) => line.startsWith('names | gene:name:il6 |')),
    names.join('\n'),
  );
  assert.ok(
    names.some((line) => line.startsWith('names | chemical:name:rice |')),
    names.join('\n'),
  );
});

test('people are no organisms, addresses no organisations, and a bracket that stays open is no part of a name', () => {
  assert.deepEqual(
    said(
      '[organism Children] came to 333 [organisation City Boulevard West]. It made [chemical ((E)-bisabolene], and more.',
    ),
    ['names | chemical:name:e bisabolene | It made ((E)-bisabolene, and more.'],
  );
});

test('a list of references names what other works are about', () => {
  const blocks = [
    { kind: 'heading', text: 'References', level: 1, order: 0, regions: [] },
    { kind: 'text', text: 'Warr CG: Malaria in China, a history.', order: 1, regions: [] },
  ] as unknown as Block[];
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  const reading = new Reading('paper', { pages: [], blocks, metadata }, null);
  const say = new Statements(reading);
  extractEntities(reading, say, {
    entities: [{ block: 1, start: 9, end: 16, label: 'disease', sure: 0.99 }],
    cells: [],
  });
  assert.deepEqual(say.edges, []);
});

test('a gene ends with its word, without how many there are; homologs and code are no names', () => {
  assert.deepEqual(
    said(
      'The gene [gene Anthocyanidin 3-O]-glucosyltransferase and [gene cytochrome P450s (26)] and [gene vacuolar EUL homologs]. The [software code] used is here.',
    ).map((line) => line.split(' | ')[1]),
    ['gene:name:anthocyanidin 3 o glucosyltransferase', 'gene:name:cytochrome p450s'],
  );
});

test('a residue or two letters are a gene only if called so, and an organism before a gene is no part of it', () => {
  assert.deepEqual(
    said(
      'In [organism Norway spruce] the expression of [gene Norway spruce TPS-Lin] rose, and of [gene Norway spruce and wheat linalool synthases]. Expression of [gene wheat germ agglutinin] in [organism wheat].',
      'The receptor binds at [gene D190] in [gene SW] of the gene. The protein [gene HA] and [gene S100 protein] too. The genes rose in the [gene Fr4] stage; [gene Fr4] of the genes.',
    )
      .map((line) => line.split(' | ')[1])
      .filter((target) => target?.startsWith('gene')),
    [
      'gene:name:tps lin',
      'gene:name:linalool synthase',
      'gene:name:wheat germ agglutinin',
      'gene:name:ha',
      'gene:name:s100',
    ],
  );
});

test('the genus alone is not cut from a species before a gene', () => {
  assert.deepEqual(
    said('The genes of [organism Mentha] are [gene Mentha aquatica linalool synthase] and [gene Mentha MpLSU].')
      .map((line) => line.split(' | ')[1])
      .filter((target) => target?.startsWith('gene')),
    ['gene:name:mentha aquatica linalool synthase', 'gene:name:mplsu'],
  );
});

test('what an enzyme makes is no gene, the enzyme is', () => {
  assert.deepEqual(
    said('The genes of [gene FPP synthase] rose, and [gene FPP] and [gene TPS9] genes.').map(
      (line) => line.split(' | ')[1],
    ),
    ['gene:name:fpp synthase', 'gene:name:tps9'],
  );
});

test('what a gene is like is not that gene', () => {
  assert.deepEqual(said('The [gene beta-glucosidase]-like gene SFR2.'), []);
});

test('ways of measuring genes are no genes', () => {
  assert.deepEqual(said('The expression of the gene by [gene RT-qPCR] and [gene RPKM] of [gene RNA-seq].'), []);
});

test('what is called after a place, an animal or a number is not the place, the animal or a chemical', () => {
  assert.deepEqual(
    said(
      'By the [place Berlin] definition and the Declaration of [place Helsinki] it was [organism bovine] serum with [chemical N06].',
      'The cluster [gene C3] had genes of other kinds. [cell Cellular] processes rose. The [organism WHO] met in [place Berlin].',
      'The protein [gene C9] rose.',
    ).map((line) => line.split(' | ')[1]),
    ['organisation:name:who', 'place:name:berlin', 'gene:name:c9'],
  );
});

test('a raised number is no part of a program, and what is bought in a box is none', () => {
  assert.deepEqual(
    said(
      'We searched [software EMBASE] using the [software Pfam] database. A tree by the [software RAxML27] program. We used [software Taq] Man Transcription Reagents.',
    ).map((line) => line.split(' | ')[1]),
    ['software:name:raxml'],
  );
});
