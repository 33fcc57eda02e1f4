import { entries } from '../random/entries.ts';

export interface Topic {
  readonly id: string;
  readonly name: string;
  readonly subfield: readonly [number, string];
  readonly field: readonly [number, string];
  readonly subjects: readonly string[];
}

/** All topics are in one domain. */
export const DOMAIN = { id: 'https://openalex.org/domains/3', display_name: 'Physical Sciences' } as const;

/** The first two digits of a subfield's number are those of its field. */
const FIELDS: Readonly<Record<number, string>> = {
  17: 'Computer Science',
  23: 'Environmental Science',
  25: 'Materials Science',
  1702: 'Artificial Intelligence',
  1707: 'Computer Vision and Pattern Recognition',
  1710: 'Information Systems',
  2303: 'Ecology',
  2306: 'Global and Planetary Change',
  2312: 'Water Science and Technology',
  2504: 'Electronic, Optical and Magnetic Materials',
  2505: 'Materials Chemistry',
};

/** Number, subfield and name of each topic, as in OpenAlex in 2026 with simplified fields; then its subjects. */
const LISTED = `
10018 in 2505: Advancements in Battery Materials
  lithium battery electrolytes; sodium-ion cathodes; silicon anodes; solid polymer electrolytes
10281 in 2505: Advanced Battery Materials and Technologies
  lithium-sulfur cells; sulfide solid electrolytes; dendrite growth; electrolyte additives
10663 in 2504: Advanced Battery Technologies Research
  battery state of health; fast charging protocols; thermal runaway; pack balancing
10409 in 2505: Fuel Cells and Related Materials
  proton exchange membranes; gas diffusion layers; platinum catalysts; water transport
10030 in 2505: Electrocatalysts for Energy Conversion
  oxygen evolution catalysts; nickel-iron hydroxides; hydrogen evolution; single-atom catalysts
10179 in 2504: Supercapacitor Materials and Fabrication
  porous carbon electrodes; MXene films; redox electrolytes; flexible capacitors
10247 in 2504: Perovskite Materials and Applications
  halide perovskite films; tandem solar cells; defect passivation; perovskite stability
11948 in 2504: Machine Learning in Materials Science
  interatomic potentials; crystal property prediction; materials screening; alloy design
11273 in 1702: Advanced Graph Neural Networks
  graph neural networks; message passing; graph transformers; heterophilous graphs
10028 in 1702: Topic Modeling
  neural topic models; document embeddings; semantic retrieval; question answering
10181 in 1702: Natural Language Processing Techniques
  language models; machine translation; entity linking; citation recommendation
10036 in 1707: Advanced Neural Network Applications
  attention mechanisms; object detectors; network pruning; image segmentation
11605 in 1707: Visual Attention and Saliency Detection
  saliency maps; gaze prediction; visual search; video saliency
11307 in 1702: Domain Adaptation and Few-Shot Learning
  few-shot classifiers; domain shift; prompt tuning; test-time adaptation
10203 in 1710: Recommender Systems and Techniques
  session recommendation; collaborative filtering; cold-start items; ranking losses
11689 in 1702: Adversarial Robustness in Machine Learning
  adversarial examples; certified defences; model extraction; data poisoning
10878 in 2303: CRISPR and Genetic Engineering
  CRISPR screens; base editors; guide RNA design; gene drives
11289 in 2303: Single-cell and spatial transcriptomics
  single-cell atlases; spatial transcriptomes; cell lineage; batch correction
10341 in 2303: Coral and Marine Ecosystems Studies
  coral bleaching; reef fish communities; heat-tolerant symbionts; reef recovery
12806 in 2312: Ocean Acidification Effects and Responses
  ocean acidification; shell formation; carbonate chemistry; plankton calcification
10032 in 2312: Marine and coastal ecosystems
  phytoplankton blooms; seagrass meadows; coastal upwelling; ocean colour
10765 in 2312: Marine Biology and Ecology Research
  intertidal communities; kelp forests; larval dispersal; benthic diversity
10029 in 2306: Climate variability and models
  marine heatwaves; monsoon variability; climate ensembles; sea surface temperature
10895 in 2306: Species Distribution and Climate Change
  species ranges; habitat suitability; range shifts; climate refugia
`;

export const TOPICS: readonly Topic[] = Array.from(
  LISTED.matchAll(/(\d+) in (\d+): (.+)\n(.+)/g),
  ([, number, subfield, name = '', subjects = '']) => {
    const numbered = (id: number): readonly [number, string] => [id, FIELDS[id] ?? ''];
    return {
      id: `https://openalex.org/T${number}`,
      name,
      subfield: numbered(Number(subfield)),
      field: numbered(Math.floor(Number(subfield) / 100)),
      subjects: entries(subjects),
    };
  },
);
