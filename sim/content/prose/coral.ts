import { entries } from '../../random/entries.ts';
import type { Theme } from './grammar.ts';

export const coral: Theme = {
  match: /coral|reef|bleaching|marine heat/i,
  lexicon: {
    systems: entries(`shallow reef flats; branching coral colonies; turbid inshore reefs; mesophotic reefs;
      restored reef plots`),
    samples: ['coral colony', 'fragment series', 'symbiont strain', 'reef transect', 'nursery tray'],
    properties: entries(`symbiont density; photochemical yield; calcification rate; bleaching severity;
      larval survival`),
    methods: ['fluorometry', 'photogrammetry', 'skeletal coring', 'acute heat assays', 'environmental DNA sampling'],
    materials: entries(`*Acropora millepora*; *Pocillopora damicornis*; *Porites lutea*; *Durusdinium trenchii*;
      *Cladocopium*; the Great Barrier Reef; the Red Sea; crustose algae`),
    factors: ['sea-surface temperature', 'light level', 'nitrate concentration', 'water flow', 'depth'],
    problems: ['thermal bleaching', 'partial mortality', 'algal overgrowth', 'oxidative stress', 'recruitment failure'],
    mechanisms: entries(`the expulsion of algal symbionts; a shift towards heat-tolerant symbionts;
      damage to photosystem II; the shading of colonies by turbid water`),
  },
  facts: [
    {
      relation: 'bleaching_threshold',
      sentence: 'The {sample} {nonce}, hosting {entity}, began to pale at {value} after {count} days of warming.',
      question: 'At what water temperature did {nonce} first lose its colour?',
      value: { least: 29.4, most: 33.8, decimals: 2, unit: ' °C' },
      entities: ['*Durusdinium trenchii*', '*Cladocopium*'],
      entityRelation: 'hosts',
    },
    {
      relation: 'survival',
      sentence:
        'On the {sample} {nonce}, {value} of the colonies of {entity} were still alive {count} weeks after the heatwave.',
      question: 'What proportion of animals at {nonce} outlived the hot spell?',
      value: { least: 12, most: 94, decimals: 1, unit: '%' },
      entities: ['*Acropora millepora*', '*Pocillopora damicornis*', '*Porites lutea*'],
      entityRelation: 'inhabited_by',
    },
    {
      relation: 'growth_rate',
      sentence:
        'Calcification of the {sample} {nonce} next to {entity} proceeded at {value}, judged from {count} skeletal bands.',
      question: 'How fast did {nonce} lay down its skeleton?',
      value: { least: 2, most: 19, decimals: 1, unit: ' mm per year' },
      entities: ['*Acropora millepora*', '*Pocillopora damicornis*', '*Porites lutea*', 'crustose algae'],
      entityRelation: 'beside',
    },
    {
      relation: 'symbiont_density',
      sentence:
        'We counted {value} per square centimetre in the {sample} {nonce} dominated by {entity}, using {count} images.',
      question: 'How densely was {nonce} populated by algal cells?',
      value: { least: 110, most: 990, decimals: 0, unit: ' thousand symbionts' },
      entities: ['*Durusdinium trenchii*', '*Cladocopium*'],
      entityRelation: 'dominated_by',
    },
    {
      relation: 'recovery_time',
      sentence:
        'Following the event, the {sample} {nonce} with {entity} needed {value} to regain its pigment across {count} visits.',
      question: 'How long did it take until {nonce} had its normal shade back?',
      value: { least: 4, most: 31, decimals: 0, unit: ' months' },
      entities: ['*Durusdinium trenchii*', '*Cladocopium*'],
      entityRelation: 'with',
    },
  ],
  sentences: {
    introduction: [
      'A reef can lose most of its colour within a fortnight and need a decade to regain it.',
      'Degree heating weeks summarise how far and how long the water has been too warm {cite}.',
      'Not every pale coral is dying, and not every brown one is healthy.',
    ],
    methods: [
      'Transects of 50 m were laid along the 6 m contour and photographed every metre.',
      'Fragments were held in flow-through tanks and ramped by 1 °C per hour to the target temperature.',
      'Dark-adapted yield, F~v~/F~m~, was read at dawn {cite}.',
    ],
    results: [
      'Massive colonies paled later than branching ones and recovered sooner.',
      'On the leeward side, cloud cover halved the dose of light and with it the damage.',
      'Background mortality between events was low and did not differ among sites.',
    ],
    discussion: [
      'Shuffling of symbionts buys time, but it seems to slow growth {cite}.',
      'Refuges of cooler water are small, patchy and worth mapping.',
    ],
  },
  formulas: [
    {
      tex: '\\mathrm{DHW} = \\frac{1}{7}\\sum_{i=1}^{84} H_i',
      plain: 'DHW = (1/7) (H~1~ + H~2~ + … + H~84~)',
      mathml:
        '<mi>DHW</mi><mo>=</mo><mo>(</mo><mn>1</mn><mo>/</mo><mn>7</mn><mo>)</mo><mo>(</mo><msub><mi>H</mi><mn>1</mn></msub><mo>+</mo><msub><mi>H</mi><mn>2</mn></msub><mo>+</mo><mo>…</mo><mo>+</mo><msub><mi>H</mi><mn>84</mn></msub><mo>)</mo>',
    },
  ],
};
