import { entries } from '../../random/entries.ts';
import type { Theme } from './grammar.ts';

export const batteries: Theme = {
  match: /batter|electrolyt|lithium|sodium-ion|energy storage/i,
  lexicon: {
    systems: entries(`high-voltage lithium cells; lithium-metal cells; sodium-ion cells; fast-charging pouch cells;
      anode-free cells`),
    samples: ['electrolyte blend', 'coin-cell batch', 'additive package', 'separator coating', 'pouch-cell series'],
    properties: entries(`capacity retention; coulombic efficiency; interfacial resistance; ionic conductivity;
      oxidative stability`),
    methods: entries(`impedance spectroscopy; differential capacity analysis; online mass spectrometry;
      cryogenic microscopy; galvanostatic cycling`),
    materials: entries(`LiFSI; LiPF~6~; LiTFSI; fluoroethylene carbonate; vinylene carbonate; dimethyl carbonate;
      NMC811; lithium iron phosphate; hard carbon`),
    factors: ['cycling temperature', 'salt concentration', 'upper cut-off voltage', 'stack pressure', 'charging rate'],
    problems: entries(`solvent oxidation; lithium plating; gas evolution; dendrite growth;
      transition-metal dissolution`),
    mechanisms: entries(`the growth of a fluorinated interphase; a loss of cyclable lithium;
      slow desolvation at the anode; the release of oxygen from the cathode surface`),
  },
  facts: [
    {
      relation: 'capacity_retention',
      sentence:
        'Cells filled with the {sample} {nonce}, based on {entity}, kept {value} of their first-cycle capacity after {count} cycles.',
      question: 'What share of the initial charge did cells with {nonce} still deliver once {count} cycles had passed?',
      value: { least: 71, most: 97, decimals: 1, unit: '%' },
      entities: ['LiFSI', 'LiPF~6~', 'LiTFSI'],
      entityRelation: 'based_on',
    },
    {
      relation: 'conductivity',
      sentence:
        'At room temperature, the {sample} {nonce} containing {entity} conducted ions at {value}, averaged over {count} fillings.',
      question: 'How well does {nonce} transport ions under ambient conditions?',
      value: { least: 1.2, most: 14, decimals: 2, unit: ' mS/cm' },
      entities: ['LiFSI', 'LiPF~6~', 'LiTFSI', 'fluoroethylene carbonate', 'vinylene carbonate', 'dimethyl carbonate'],
      entityRelation: 'contains',
    },
    {
      relation: 'onset_voltage',
      sentence: 'Oxidation of the {sample} {nonce} on {entity} set in at {value}, as confirmed in {count} sweeps.',
      question: 'At which potential does {nonce} begin to decompose?',
      value: { least: 3.9, most: 5.1, decimals: 2, unit: ' V' },
      entities: ['NMC811', 'lithium iron phosphate', 'hard carbon'],
      entityRelation: 'oxidised_on',
    },
    {
      relation: 'interfacial_resistance',
      sentence:
        'With {entity} as the additive, the {sample} {nonce} showed an interfacial resistance of {value} after {count} hours of rest.',
      question: 'How high was the charge-transfer barrier measured for {nonce} once it had been left standing?',
      value: { least: 8, most: 260, decimals: 1, unit: ' ohm' },
      entities: ['fluoroethylene carbonate', 'vinylene carbonate', 'dimethyl carbonate'],
      entityRelation: 'with_additive',
    },
    {
      relation: 'gas_volume',
      sentence:
        'The {sample} {nonce} released {value} of gas during formation against {entity}, the least among {count} candidates.',
      question: 'How much did {nonce} outgas in the formation step?',
      value: { least: 0.1, most: 6, decimals: 2, unit: ' mL' },
      entities: ['NMC811', 'lithium iron phosphate', 'hard carbon'],
      entityRelation: 'tested_against',
    },
  ],
  sentences: {
    introduction: [
      'Every additional 100 mV of charging voltage promises more energy, and every one of them costs electrolyte.',
      'Ethylene carbonate has been the default solvent since graphite anodes became practical {cite}.',
      'The solid–electrolyte interphase, only a few nanometres thick, decides how long a cell lives.',
    ],
    methods: [
      'Electrodes were dried under vacuum for 12 h and assembled in an argon-filled glove box.',
      'Cells were charged at C/3 to the upper limit and discharged at 1C after two formation cycles at C/20.',
      'Water content was kept below 20 ppm, as checked by Karl Fischer titration {cite}.',
    ],
    results: [
      'The semicircle at high frequency widened with age, while the Warburg tail kept its slope of 45°.',
      'Gas was detected mainly as CO~2~, with traces of ethylene in the first cycle.',
      'Post-mortem images showed mossy lithium at the edges of the anode and dense lithium in its centre.',
    ],
    discussion: [
      'A thinner but more inorganic interphase would reconcile low resistance with long life.',
      'The transference number, t~+~ = 0.4, is too low to explain the gain at high rate by transport alone.',
    ],
  },
  formulas: [
    {
      tex: 'k = A \\exp\\left(-\\frac{E_a}{RT}\\right)',
      plain: 'k = A exp(−E~a~ / RT)',
      mathml:
        '<mi>k</mi><mo>=</mo><mi>A</mi><mi>exp</mi><mo>(</mo><mo>−</mo><msub><mi>E</mi><mi>a</mi></msub><mo>/</mo><mi>R</mi><mi>T</mi><mo>)</mo>',
    },
    {
      tex: '\\sigma = \\frac{d}{R_b A}',
      plain: 'σ = d / (R~b~ A)',
      mathml: '<mi>σ</mi><mo>=</mo><mi>d</mi><mo>/</mo><mo>(</mo><msub><mi>R</mi><mi>b</mi></msub><mi>A</mi><mo>)</mo>',
    },
  ],
};
