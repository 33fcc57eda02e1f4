import { entries } from '../../random/entries.ts';
import { englishSentences } from './english-sentences.ts';
import type { Grammar } from './grammar.ts';

/** English, used for most papers and all demo themes. */
export const english: Grammar = {
  language: 'en',
  labels: {
    abstract: 'Abstract',
    keywords: 'Keywords',
    table: 'Table',
    figure: 'Figure',
    references: 'References',
    and: 'and',
  },
  headings: {
    introduction: ['Introduction'],
    background: ['Background', 'Related work', 'State of the field', 'Theory'],
    methods: ['Methods', 'Materials and methods', 'Experimental design', 'Data analysis'],
    results: ['Results', 'Findings', 'Observations', 'Further observations'],
    discussion: ['Discussion', 'Interpretation'],
    limitations: ['Limitations', 'Sources of error', 'Threats to validity'],
    conclusion: ['Conclusions', 'Summary and outlook'],
  },
  subheadings: entries(`Effect of the {factor}; Role of {material}; Changes in {property}; Sampling and {method};
    Comparison with {material}; Sensitivity to the {factor}; Evidence for {problem}; Calibration and controls`),
  sentences: englishSentences,
  facts: [
    {
      relation: 'measured_value',
      sentence:
        'The {sample} {nonce}, which was obtained with {entity}, reached a value of {value} in {count} independent trials.',
      question: 'Which level did {nonce} attain when it was tested {count} times?',
      value: { least: 11, most: 98, decimals: 2, unit: ' units' },
      entityRelation: 'obtained_with',
    },
    {
      relation: 'improvement',
      sentence:
        'Compared with {entity}, the {sample} {nonce} improved the outcome by {value} over {count} repetitions.',
      question: 'How large was the gain of {nonce} over the baseline?',
      value: { least: 3, most: 48, decimals: 1, unit: '%' },
      entityRelation: 'compared_with',
    },
    {
      relation: 'duration',
      sentence:
        'The {sample} {nonce} remained stable for {value} in the presence of {entity}, longer than the other {count} candidates.',
      question: 'For how long did {nonce} stay unchanged?',
      value: { least: 12, most: 940, decimals: 0, unit: ' hours' },
      entityRelation: 'stable_with',
    },
    {
      relation: 'cost',
      sentence: 'Producing the {sample} {nonce} from {entity} cost {value} per unit at a volume of {count} pieces.',
      question: 'What did it cost to make one piece of {nonce}?',
      value: { least: 4, most: 870, decimals: 2, unit: ' euros' },
      entityRelation: 'made_from',
    },
    {
      relation: 'error_rate',
      sentence: 'For the {sample} {nonce}, analysed with {entity}, the error rate was {value} across {count} runs.',
      question: 'How often did the analysis of {nonce} go wrong?',
      value: { least: 0.2, most: 14, decimals: 2, unit: '%' },
      entityRelation: 'analysed_with',
    },
  ],
  pointers: {
    table: [
      '{pointer} lists the {property} of the groups that were compared.',
      'The full set of values is given in {pointer}.',
      'As {pointer} shows, the groups differ mainly in {property}.',
    ],
    figure: [
      '{pointer} shows how the {property} changes with the {factor}.',
      'The trend is easiest to see in {pointer}.',
      'A typical course is drawn in {pointer}.',
    ],
    formula: ['The relation used throughout is given by Equation {pointer}.', 'This leads to Equation {pointer}.'],
    list: [
      'Three steps were repeated for every group:',
      'The protocol rests on the following choices:',
      'Our contributions are as follows:',
    ],
  },
  listItems: [
    'record the {property} before and after each change of the {factor};',
    'repeat the {method} until two readings agree;',
    'discard every group in which {problem} was visible;',
    'compare the outcome with {material} under the same conditions;',
    'report the {property} together with its spread;',
    'keep the {factor} constant while the {factor2} is varied;',
  ],
  tableCaptions: [
    'Mean {property} and {property2} of the groups studied.',
    'Summary of the {property} for each level of the {factor}.',
    'Comparison of {material} and {material2} by {property}.',
  ],
  figureCaptions: [
    'Change of the {property} with the {factor}. Shaded symbols are means of repeated readings.',
    'Course of the {property} for {material} and {material2} under identical conditions.',
    'Representative record obtained by {method}, illustrating {problem}.',
  ],
  notes: [
    'Readings taken during maintenance of the equipment were left out.',
    'The raw records are kept together with the analysis scripts.',
    'One group was repeated because of a fault in the {method}.',
    'Values are rounded to the precision of the instrument.',
  ],
  titles: [
    'How the {factor} shapes the {property} of {systems}',
    '{material} and {material2} in {systems}: a study of {property}',
    'Limits of {method} for the assessment of {problem} in {systems}',
    'Predicting the {property} of {systems} from the {factor}',
    'Towards lower {problem} in {systems}',
  ],
  abstracts: [
    'The {property} of {systems} is often limited by {problem}.',
    'Here we combine {method} with {method2} to separate the effects of the {factor} and the {factor2}.',
    'We find that {material} changes the {property} far more than {material2}, and that the difference grows with the {factor}.',
    'The observations are consistent with {mechanism}.',
    'The protocol and all records are described in enough detail to be repeated elsewhere.',
  ],
  words: { sample: 'Group', group: 'Condition', mean: 'Mean', count: 'n' },
};
