const TYPE_WORDS =
  /^(?:research|original|review|reviews|systematic|short|brief|rapid|case|data|technical|clinical|basic|full|regular|invited|topical|mini|special|research|open|access|free|article|articles|paper|papers|report|reports|communication|communications|descriptor|letter|letters|editorial|commentary|comment|perspective|perspectives|viewpoint|opinion|protocol|study|trial|experimental|observational|method|methods|note|notes|news|guideline|guidelines|correspondence|registered|meta|analysis|science|investigation|contribution|contributions|software|resource|focus|section|feature|features|and|of|the|in|to|series|policy|practice|forum|essay|hypothesis|education|brief|book|overview|update|insight|highlights|spotlight|primer|preprint|manuscript|accepted|author|peer|reviewed|version|early|view|online|first)$/iu;

/** The kind of article or a banner ("Research Article", "OPEN ACCESS", "Study Protocol Clinical Trial"), not what it is about. */
export function isArticleType(text: string): boolean {
  const words = text.split(/[^\p{L}]+/u).filter((word) => word !== '');
  return words.length > 0 && words.length <= 6 && words.every((word) => TYPE_WORDS.test(word));
}
