/** What a finding may say of its subject and its object. */
export const FINDING_RELATIONS = {
  increases: 'The subject makes the object more, or it is more with the subject than without.',
  decreases: 'The subject makes the object less, or it is less with the subject than without.',
  'no difference': 'The object is the same with the subject as without, or as in the comparator.',
  associated: 'The two go together; nothing is said of cause.',
  predicts: 'The subject tells the object in advance.',
  inhibits: 'The subject stops or weakens the object.',
  contains: 'The object is a part of the subject.',
  other: 'Anything else, in the words of the paper.',
} as const;
export type FindingRelation = keyof typeof FINDING_RELATIONS;

/** What a paper found, in its words. */
export interface Finding {
  readonly subject: string;
  readonly relation: FindingRelation;
  readonly object: string;
  /** In whom or in what. */
  readonly population: string | null;
  /** What the subject is compared with. */
  readonly comparator: string | null;
  /** How much, with its unit, interval or probability. */
  readonly value: string | null;
}
