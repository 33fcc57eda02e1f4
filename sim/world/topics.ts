/** A topic with its position in OpenAlex's hierarchy and its title words. */
export interface Topic {
  readonly id: string;
  readonly name: string;
  readonly subfield: readonly [number, string];
  readonly field: readonly [number, string];
  readonly subjects: readonly string[];
}

/** All topics are in one domain. */
export const DOMAIN = { id: 'https://openalex.org/domains/3', display_name: 'Physical Sciences' } as const;

const COMPUTING = [17, 'Computer Science'] as const;
const MATERIALS = [25, 'Materials Science'] as const;
const ENVIRONMENT = [23, 'Environmental Science'] as const;
const VISION = [1707, 'Computer Vision and Pattern Recognition'] as const;
const INTELLIGENCE = [1702, 'Artificial Intelligence'] as const;
const SYSTEMS = [1710, 'Information Systems'] as const;
const ELECTRONIC = [2504, 'Electronic, Optical and Magnetic Materials'] as const;
const CHEMISTRY = [2505, 'Materials Chemistry'] as const;
const ECOLOGY = [2303, 'Ecology'] as const;
const CLIMATE = [2306, 'Global and Planetary Change'] as const;
const OCEAN = [2312, 'Water Science and Technology'] as const;

const topic = (
  number: number,
  name: string,
  subfield: Topic['subfield'],
  field: Topic['field'],
  subjects: string,
): Topic => ({
  id: `https://openalex.org/T${number}`,
  name,
  subfield,
  field,
  subjects: subjects.split('|'),
});

/** Ids and names as in OpenAlex in 2026, with simplified fields. */
export const TOPICS: readonly Topic[] = [
  topic(
    10018,
    'Advancements in Battery Materials',
    CHEMISTRY,
    MATERIALS,
    'lithium battery electrolytes|sodium-ion cathodes|silicon anodes|solid polymer electrolytes',
  ),
  topic(
    10281,
    'Advanced Battery Materials and Technologies',
    CHEMISTRY,
    MATERIALS,
    'lithium-sulfur cells|sulfide solid electrolytes|dendrite growth|electrolyte additives',
  ),
  topic(
    10663,
    'Advanced Battery Technologies Research',
    ELECTRONIC,
    MATERIALS,
    'battery state of health|fast charging protocols|thermal runaway|pack balancing',
  ),
  topic(
    10409,
    'Fuel Cells and Related Materials',
    CHEMISTRY,
    MATERIALS,
    'proton exchange membranes|gas diffusion layers|platinum catalysts|water transport',
  ),
  topic(
    10030,
    'Electrocatalysts for Energy Conversion',
    CHEMISTRY,
    MATERIALS,
    'oxygen evolution catalysts|nickel-iron hydroxides|hydrogen evolution|single-atom catalysts',
  ),
  topic(
    10179,
    'Supercapacitor Materials and Fabrication',
    ELECTRONIC,
    MATERIALS,
    'porous carbon electrodes|MXene films|redox electrolytes|flexible capacitors',
  ),
  topic(
    10247,
    'Perovskite Materials and Applications',
    ELECTRONIC,
    MATERIALS,
    'halide perovskite films|tandem solar cells|defect passivation|perovskite stability',
  ),
  topic(
    11948,
    'Machine Learning in Materials Science',
    ELECTRONIC,
    MATERIALS,
    'interatomic potentials|crystal property prediction|materials screening|alloy design',
  ),
  topic(
    11273,
    'Advanced Graph Neural Networks',
    INTELLIGENCE,
    COMPUTING,
    'graph neural networks|message passing|graph transformers|heterophilous graphs',
  ),
  topic(
    10028,
    'Topic Modeling',
    INTELLIGENCE,
    COMPUTING,
    'neural topic models|document embeddings|semantic retrieval|question answering',
  ),
  topic(
    10181,
    'Natural Language Processing Techniques',
    INTELLIGENCE,
    COMPUTING,
    'language models|machine translation|entity linking|citation recommendation',
  ),
  topic(
    10036,
    'Advanced Neural Network Applications',
    VISION,
    COMPUTING,
    'attention mechanisms|object detectors|network pruning|image segmentation',
  ),
  topic(
    11605,
    'Visual Attention and Saliency Detection',
    VISION,
    COMPUTING,
    'saliency maps|gaze prediction|visual search|video saliency',
  ),
  topic(
    11307,
    'Domain Adaptation and Few-Shot Learning',
    INTELLIGENCE,
    COMPUTING,
    'few-shot classifiers|domain shift|prompt tuning|test-time adaptation',
  ),
  topic(
    10203,
    'Recommender Systems and Techniques',
    SYSTEMS,
    COMPUTING,
    'session recommendation|collaborative filtering|cold-start items|ranking losses',
  ),
  topic(
    11689,
    'Adversarial Robustness in Machine Learning',
    INTELLIGENCE,
    COMPUTING,
    'adversarial examples|certified defences|model extraction|data poisoning',
  ),
  topic(
    10878,
    'CRISPR and Genetic Engineering',
    ECOLOGY,
    ENVIRONMENT,
    'CRISPR screens|base editors|guide RNA design|gene drives',
  ),
  topic(
    11289,
    'Single-cell and spatial transcriptomics',
    ECOLOGY,
    ENVIRONMENT,
    'single-cell atlases|spatial transcriptomes|cell lineage|batch correction',
  ),
  topic(
    10341,
    'Coral and Marine Ecosystems Studies',
    ECOLOGY,
    ENVIRONMENT,
    'coral bleaching|reef fish communities|heat-tolerant symbionts|reef recovery',
  ),
  topic(
    12806,
    'Ocean Acidification Effects and Responses',
    OCEAN,
    ENVIRONMENT,
    'ocean acidification|shell formation|carbonate chemistry|plankton calcification',
  ),
  topic(
    10032,
    'Marine and coastal ecosystems',
    OCEAN,
    ENVIRONMENT,
    'phytoplankton blooms|seagrass meadows|coastal upwelling|ocean colour',
  ),
  topic(
    10765,
    'Marine Biology and Ecology Research',
    OCEAN,
    ENVIRONMENT,
    'intertidal communities|kelp forests|larval dispersal|benthic diversity',
  ),
  topic(
    10029,
    'Climate variability and models',
    CLIMATE,
    ENVIRONMENT,
    'marine heatwaves|monsoon variability|climate ensembles|sea surface temperature',
  ),
  topic(
    10895,
    'Species Distribution and Climate Change',
    CLIMATE,
    ENVIRONMENT,
    'species ranges|habitat suitability|range shifts|climate refugia',
  ),
];
