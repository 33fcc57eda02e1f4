import { entries } from '../../random/entries.ts';
import type { Theme } from './grammar.ts';

export const graphs: Theme = {
  match:
    /graph neural|graph learning|message passing|node classification|deep learning|machine learning|neural network/i,
  lexicon: {
    systems: entries(`deep message-passing networks; heterophilic graphs; molecular graphs;
      temporal interaction graphs; billion-edge graphs`),
    samples: ['model variant', 'benchmark split', 'pooling layer', 'sampling scheme', 'training recipe'],
    properties: entries(
      `test accuracy; inference latency; memory footprint; calibration error; link-prediction recall`,
    ),
    methods: ['neighbour sampling', 'spectral analysis', 'ablation', 'graph rewiring', 'contrastive pre-training'],
    materials: ['GraphSAGE', 'GCN', 'GAT', 'GIN', 'ogbn-products', 'Cora', 'ZINC', 'PyTorch', 'Adam'],
    factors: ['network depth', 'hidden width', 'edge homophily', 'batch size', 'dropout rate'],
    problems: ['over-smoothing', 'over-squashing', 'label leakage', 'neighbourhood explosion', 'degree bias'],
    mechanisms: entries(`the collapse of node features towards a common vector; a bottleneck in the flow of messages;
      the loss of high-frequency signals; an imbalance between hubs and leaves`),
  },
  facts: [
    {
      relation: 'accuracy',
      sentence:
        'Trained on {entity}, the {sample} {nonce} classified {value} of the held-out nodes correctly over {count} seeds.',
      question: 'How accurate were the predictions of {nonce} on unseen vertices?',
      value: { least: 61, most: 95, decimals: 2, unit: '%' },
      entities: ['ogbn-products', 'Cora', 'ZINC'],
      entityRelation: 'trained_on',
    },
    {
      relation: 'latency',
      sentence:
        'The {sample} {nonce}, implemented on top of {entity}, answered a query in {value} with {count} neighbours per node.',
      question: 'How quickly does {nonce} respond to one request?',
      value: { least: 2, most: 190, decimals: 1, unit: ' ms' },
      entities: ['PyTorch', 'GraphSAGE'],
      entityRelation: 'implemented_on',
    },
    {
      relation: 'memory',
      sentence:
        'Peak memory of the {sample} {nonce} stood at {value}, against {entity} at the same width and {count} layers.',
      question: 'What amount of RAM does {nonce} require at most?',
      value: { least: 1.1, most: 38, decimals: 1, unit: ' GiB' },
      entities: ['GraphSAGE', 'GCN', 'GAT', 'GIN'],
      entityRelation: 'compared_with',
    },
    {
      relation: 'depth_limit',
      sentence:
        'Before its features collapsed, the {sample} {nonce} derived from {entity} could be stacked to {value} in {count} trials.',
      question: 'How deep can {nonce} be made until its representations become indistinguishable?',
      value: { least: 6, most: 128, decimals: 0, unit: ' layers' },
      entities: ['GCN', 'GAT', 'GIN'],
      entityRelation: 'derived_from',
    },
    {
      relation: 'speedup',
      sentence:
        'Replacing {entity} by the {sample} {nonce} shortened an epoch by a factor of {value} on {count} workers.',
      question: 'By how much did {nonce} accelerate training?',
      value: { least: 1.3, most: 9.6, decimals: 2, unit: '' },
      entities: ['GraphSAGE', 'GCN', 'Adam'],
      entityRelation: 'replaces',
    },
  ],
  sentences: {
    introduction: [
      'Messages travel one hop per layer, so distant nodes can speak only through deep networks.',
      'Depth, however, tends to make all nodes look alike {cite}.',
      'Benchmarks reward small gains on citation graphs whose labels are nearly saturated.',
    ],
    methods: [
      'All models share the same optimiser, the same early-stopping rule and the same budget of 200 trials.',
      'Hidden states have width *d* = 256 and are normalised after every layer {cite}.',
      'We report means over ten seeds; splits are fixed and published with the code.',
    ],
    results: [
      'The gap closes once residual connections are added.',
      'On sparse graphs, sampling fewer neighbours cost nothing in accuracy.',
      'Ranking by validation loss and ranking by test accuracy picked different winners in two of nine cases.',
    ],
    discussion: [
      'The spectral view predicts this: low-pass filters, applied repeatedly, leave only the first eigenvector.',
      'Whether attention helps depends less on its weights than on the extra parameters it brings {cite}.',
    ],
  },
  formulas: [
    {
      tex: 'h_v = \\sigma\\left(W \\sum_{u \\in N(v)} \\alpha_{uv} h_u\\right)',
      plain: 'h~v~ = σ(W Σ~u~ α~uv~ h~u~)',
      mathml:
        '<msub><mi>h</mi><mi>v</mi></msub><mo>=</mo><mi>σ</mi><mo>(</mo><mi>W</mi><msub><mo>Σ</mo><mi>u</mi></msub><msub><mi>α</mi><mi>uv</mi></msub><msub><mi>h</mi><mi>u</mi></msub><mo>)</mo>',
    },
    {
      tex: 'L = I - D^{-1/2} A D^{-1/2}',
      plain: 'L = I − D^−1/2^ A D^−1/2^',
      mathml:
        '<mi>L</mi><mo>=</mo><mi>I</mi><mo>−</mo><msup><mi>D</mi><mrow><mo>−</mo><mn>1/2</mn></mrow></msup><mi>A</mi><msup><mi>D</mi><mrow><mo>−</mo><mn>1/2</mn></mrow></msup>',
    },
  ],
};
