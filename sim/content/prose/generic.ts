import { entries } from '../../random/entries.ts';
import type { Theme } from './grammar.ts';

/** A theme for topics without their own: its words come from the topic name. */
export function genericTheme(topic: string): Theme {
  // Lower-cases the first word, but not acronyms such as "DNA" and "RNA".
  const name = /^[A-Z][a-z]/.test(topic) ? topic.charAt(0).toLowerCase() + topic.slice(1) : topic;
  return {
    match: /(?:)/,
    lexicon: {
      systems: [
        `models of ${name}`,
        `field trials on ${name}`,
        `open records of ${name}`,
        `long-term studies of ${name}`,
      ],
      samples: ['reference sample', 'pilot site', 'survey wave', 'instrument series', 'trial arm'],
      properties: entries(
        `response rate; residual spread; predictive accuracy; year-to-year variance; detection limit`,
      ),
      methods: entries(`stratified sampling; regression analysis; blind re-examination; cluster analysis;
        time-series decomposition`),
      materials: entries(`the Halden protocol; the Okoye index; the Brisa archive; the Lindqvist scale;
        the Tamsin panel`),
      factors: ['sampling interval', 'observation period', 'baseline level', 'instrument setting', 'seasonal load'],
      problems: entries(`selection bias; measurement drift; missing follow-up; confounding by season; uneven coverage`),
      mechanisms: entries(`a delayed response to the baseline; the gradual loss of weak signals;
        an interaction between site and season; saturation at high load`),
    },
    facts: [
      {
        relation: 'response_rate',
        sentence: 'Under {entity}, the {sample} {nonce} returned a response rate of {value} from {count} requests.',
        question: 'What portion of the enquiries sent to {nonce} was answered?',
        value: { least: 18, most: 93, decimals: 1, unit: '%' },
        entityRelation: 'conducted_under',
      },
      {
        relation: 'detection_limit',
        sentence:
          'Judged by {entity}, the {sample} {nonce} could resolve differences down to {value} with {count} readings.',
        question: 'What is the smallest effect that {nonce} was able to tell apart?',
        value: { least: 0.02, most: 4.8, decimals: 2, unit: ' points' },
        entityRelation: 'judged_by',
      },
    ],
    sentences: {
      introduction: [
        `Work on ${name} is scattered over many journals, and its terms are not used consistently {cite}.`,
        `For anyone new to ${name}, the number of competing definitions is discouraging.`,
      ],
      discussion: [
        `Seen from the wider field of ${name}, the outcome is less surprising than it first appears {cite}.`,
      ],
      conclusion: [`Progress in ${name} will depend on shared records more than on new instruments.`],
    },
    formulas: [
      {
        tex: 'y_i = \\beta_0 + \\beta_1 x_i + \\varepsilon_i',
        plain: 'y~i~ = β~0~ + β~1~ x~i~ + ε~i~',
        mathml:
          '<msub><mi>y</mi><mi>i</mi></msub><mo>=</mo><msub><mi>β</mi><mn>0</mn></msub><mo>+</mo><msub><mi>β</mi><mn>1</mn></msub><msub><mi>x</mi><mi>i</mi></msub><mo>+</mo><msub><mi>ε</mi><mi>i</mi></msub>',
      },
    ],
  };
}
