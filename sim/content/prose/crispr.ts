import type { Theme } from './grammar.ts';

/** CRISPR screens. */
export const crispr: Theme = {
  match: /crispr|gene edit|genetic screen|guide rna|functional genomic/i,
  lexicon: {
    systems: [
      'pooled knockout screens',
      'base-editing screens',
      'single-cell perturbation screens',
      'drug-resistance screens',
      'organoid screens',
    ],
    samples: ['guide library', 'cell clone', 'editor variant', 'reporter line', 'screening arm'],
    properties: [
      'editing efficiency',
      'guide abundance',
      'knockout penetrance',
      'replicate correlation',
      'viral titre',
    ],
    methods: [
      'amplicon sequencing',
      'flow cytometry',
      'single-cell transcriptomics',
      'competitive growth assays',
      'digital PCR',
    ],
    materials: ['Cas9', 'Cas12a', 'dCas9-KRAB', 'K562 cells', 'HEK293T cells', 'TP53', 'MYC', 'puromycin', 'olaparib'],
    factors: ['multiplicity of infection', 'selection time', 'guide dose', 'chromatin state', 'cell density'],
    problems: [
      'off-target cutting',
      'guide dropout',
      'copy-number bias',
      'toxicity of double-strand breaks',
      'bottlenecking of the library',
    ],
    mechanisms: [
      'repair by microhomology',
      'the p53 response to double-strand breaks',
      'incomplete silencing of the second allele',
      'uneven packaging of the vectors',
    ],
  },
  facts: [
    {
      relation: 'editing_efficiency',
      sentence: 'In {entity}, the {sample} {nonce} edited {value} of alleles after {count} hours.',
      question: 'Which fraction of gene copies did {nonce} modify within {count} hours?',
      value: { least: 22, most: 96, decimals: 1, unit: '%' },
      entities: ['K562 cells', 'HEK293T cells'],
      entityRelation: 'tested_in',
    },
    {
      relation: 'off_target_rate',
      sentence:
        'The {sample} {nonce}, driven by {entity}, cut unintended sites at a rate of {value} across {count} loci.',
      question: 'How often did {nonce} cleave places it was not designed for?',
      value: { least: 0.05, most: 3.8, decimals: 2, unit: '%' },
      entities: ['Cas9', 'Cas12a', 'dCas9-KRAB'],
      entityRelation: 'driven_by',
    },
    {
      relation: 'hit_count',
      sentence:
        'Screening with the {sample} {nonce} under {entity} returned {value} that passed the false-discovery threshold in {count} replicates.',
      question: 'How many significant hits came out of the experiment with {nonce}?',
      value: { least: 14, most: 640, decimals: 0, unit: ' genes' },
      entities: ['puromycin', 'olaparib'],
      entityRelation: 'screened_under',
    },
    {
      relation: 'replicate_correlation',
      sentence:
        'Replicates of the {sample} {nonce} agreed with a correlation of {value} when {entity} served as the reference at {count}-fold coverage.',
      question: 'How reproducible were repeated measurements with {nonce}?',
      value: { least: 0.61, most: 0.98, decimals: 3, unit: '' },
      entities: ['K562 cells', 'HEK293T cells'],
      entityRelation: 'referenced_to',
    },
    {
      relation: 'doubling_time',
      sentence:
        'Loss of {entity} lengthened the doubling time of the {sample} {nonce} to {value}, based on {count} wells.',
      question: 'How slowly did {nonce} proliferate after the gene had been removed?',
      value: { least: 17, most: 61, decimals: 1, unit: ' hours' },
      entities: ['TP53', 'MYC'],
      entityRelation: 'depends_on',
    },
  ],
  sentences: {
    introduction: [
      'Pooled screens ask thousands of genetic questions in a single flask, and the answers arrive as read counts.',
      'A guide that works in one cell line may fail in the next, for reasons that sequence alone does not reveal {cite}.',
      'Essential genes drop out early, which makes the first days of a screen the most informative.',
    ],
    methods: [
      'Lentivirus was produced in HEK293T cells, and the titre was determined by limiting dilution.',
      'Coverage was kept above 500 cells per guide at every passage {cite}.',
      'Read counts were normalised to non-targeting guides and modelled with a negative binomial distribution.',
    ],
    results: [
      'Non-targeting guides stayed within a factor of two of their starting abundance.',
      'Core-essential genes separated cleanly from the rest by day 12.',
      'Most indels were single-base insertions at the expected cut site, three nucleotides from the PAM.',
    ],
    discussion: [
      'Copy-number amplification remains the main source of false positives in cancer lines {cite}.',
      'Interference by dCas9 avoids breaks altogether, at the price of incomplete loss of function.',
    ],
  },
  formulas: [
    {
      tex: '\\mathrm{LFC}_g = \\log_2\\frac{n_{g,T}+1}{n_{g,0}+1}',
      plain: 'LFC~g~ = log~2~ [(n~T~ + 1) / (n~0~ + 1)]',
      mathml:
        '<msub><mi>LFC</mi><mi>g</mi></msub><mo>=</mo><msub><mi>log</mi><mn>2</mn></msub><mo>[</mo><mo>(</mo><msub><mi>n</mi><mi>T</mi></msub><mo>+</mo><mn>1</mn><mo>)</mo><mo>/</mo><mo>(</mo><msub><mi>n</mi><mn>0</mn></msub><mo>+</mo><mn>1</mn><mo>)</mo><mo>]</mo>',
    },
  ],
  titles: ['{material} dependence uncovered by {systems}', 'Controlling {problem} in {systems} through {factor}'],
};
