import type { PaperSentence } from './paper-sentences.ts';
import type { ColumnKind } from './column-kind.ts';
import type { Cue } from './cue.ts';

/** How sentences of a kind are told from others. */
interface KindCues {
  readonly words: readonly Cue[];
  /** Without one of these words a sentence is not of the kind, whatever else it says. */
  readonly needs?: RegExp;
  /** Points for the part of the paper; other parts are not read. */
  readonly sections: Readonly<Partial<Record<PaperSentence['section'], number>>>;
  /** Headings that promise the kind. */
  readonly headings?: RegExp;
  /** Sentences with fewer points are not sure to be of the kind. */
  readonly least: number;
  /** A sentence that only says that sentences of the kind follow. */
  readonly announces?: RegExp;
  /** Most sentences shown together; lists are often spread over several. */
  readonly most?: number;
  /** Of two equal sentences the first is meant, or the last. */
  readonly isEarlyBetter?: false;
  /** What an abstract says before the first sentence with such words is background. */
  readonly after?: readonly RegExp[];
}

/** What other works did is not what the paper did. */
export const SHARED_CUES: readonly Cue[] = [
  [
    /\bet al\b|\[\d{1,3}(?:[,–-] ?\d{1,3}){0,9}\]|\(\p{Lu}\p{L}+,? (?:et al\.?,? )?(?:19|20)\d\d|\(\d{1,3}(?:[-–,] ?\d{1,3})+\)/u,
    -1,
  ],
  [/\b(?:previous|earlier|other|prior) (?:studies|study|reports?|work|research|authors)\b/i, -1],
  [
    /\b(?:many|most|several|some|numerous|recent) (?:studies|reports|authors|guidelines|reviews|researchers|trials)\b/i,
    -1,
  ],
  [/https?:|\bcopyright\b|©|@/i, -1],
  [/\?$/, -2],
  // Footnotes and points of a list.
  [/^[^\p{L}\p{N}("“‘']|^\([†‡*§]\)/u, -2],
];

const ANYWHERE = { abstract: 0, introduction: 0, methods: 0, results: 0, discussion: 0, conclusion: 0, body: 0 };

/** Words of statistical methods. */
const STATISTICS =
  /\bANOVA|\banaly[sz](?:is|es) of (?:co)?variance|\bt[- ]tests?\b|\bchi[- ]squared?\b|χ2|\bFisher['’]?s?\b|\bMann[-–]Whitney\b|\bWilcoxon\b|\bKruskal\b|\bregressions?\b|\bCox\b|\bproportional hazards\b|\bKaplan\b|\blog[- ]?rank\b|\bTukey\b|\bBonferroni\b|\bSidak\b|\bDun(?:can|n|nett)['’]?s?\b|\bcorrelation (?:coefficients?|analys[ei]s|tests?)\b|\b(?:Spearman|Pearson)\b|\b(?:random|fixed|mixed)[- ]effects?\b|\bmixed models?\b|\bgenerali[sz]ed (?:linear|additive|estimating)\b|\bprincipal components?\b|\bcluster analys[ei]s\b|\bBayesian\b|\bMonte Carlo\b|\bbootstrap\w*|\bpropensity score\b|\bdescriptive (?:statistics|analys[ei]s)\b|\banaly[sz][ei]s (?:was|were) descriptive\b|\bsensitivity analys[ei]s\b|\bSchapiro|\bShapiro\b|\bstandard deviations?\b|\bodds ratios?\b|\bhazard ratios?\b|\bI2\b|\bheterogeneity\b|\bthematic analysis\b|\bmultivariate\b|\bunivariate\b|\bparametric\b|\bHSD\b|\bLSD\b|\bpost[- ]hoc\b/;

const FINDS =
  /\b(?:found|showed?n?|reveal(?:ed|s)?|demonstrat(?:ed|es?)|indicat(?:ed|es?)|displayed|exhibited|observed|identified|associated with|significant(?:ly)?|higher|lower|greater|fewer|increased?|decreased?|reduced?|improved|more likely|less likely|no differences?|differ(?:ed|s)?|predict(?:ed|s)|dropped|rose|effective|able to|feasible)\b/i;
const STATISTIC_OF_RESULT = /\d ?%|\bp ?[<=>≤]|\bCI\b|\b(?:odds|hazard|risk) ratio|\b(?:OR|HR|RR|AOR)\b|\d\.\d/;
const AIMS =
  /\b(?:aim(?:ed|s)?|objectives?|purpose|sought|undertaken|we (?:investigated|evaluated|assessed|examined|aim|describe|discuss)|this (?:study|paper|article|review) (?:investigate[sd]?|evaluate[sd]?|assesse[sd]|examine[sd]?|describes?|discusses))\b/i;
const METHODS =
  /\b(?:were|was) (?:measured|collected|recruited|enrolled|performed|conducted|used|employed|obtained|analy[sz]ed|extracted|searched|carried out|included|randomi[sz]ed|assessed|calculated|applied|surveyed)\b/i;
const OWN = /\b(?:we|our|this (?:study|trial|review|paper|work|report|analysis)|the (?:present|current) \w+)\b/i;

/**
 * Words and places that mark the sentences of a kind. They hold for papers of any field that report a study in English;
 * chosen on half of the papers with written columns and on the half of the gold standard that was worked on.
 */
export const CUES: Readonly<Partial<Record<ColumnKind, KindCues>>> = {
  result: {
    words: [
      [FINDS, 1.5],
      [STATISTIC_OF_RESULT, 1],
      [/\b(?:we|our|results?|findings?|data|analys[ei]s) (?:\w+ ){0,2}(?:found|show|demonstrat|reveal|indicat)/i, 1],
      [/^(?:Results?|Findings|Conclusions?|Interpretation|Main results)\b/, 1],
      [/\b(?:in conclusion|in summary|overall|taken together|mainly|most|highest|primary)\b/i, 0.5],
      [AIMS, -2],
      [METHODS, -1],
      [/\b(?:should|further|future|need(?:ed|s)?|may|might|could|recommend)\b/i, -0.7],
      [/\b(?:consented|were included|were enrolled|participated|response rate|mean age)\b/i, -1.5],
      [/\b(?:thus|therefore|importance|implications?|difficulty)\b/i, -0.5],
    ],
    sections: { abstract: 1.5, conclusion: 0.7 },
    least: 2.7,
    isEarlyBetter: false,
    after: [AIMS, METHODS, /\b(?:we|our|here)\b/i],
  },
  funding: {
    words: [
      [/\b(?:supported|funded|financed|sponsored|provided) (?:\w+ ){0,3}by\b/i, 1.5],
      [/\bfinancial(?:ly)? support|\bfund(?:ing|s|ed)?\b|\bfinanc(?:ed|ing)\b/i, 1.5],
      [/\b(?:this|our|present) (?:\w+ )?(?:work|study|research|project|paper|trial|publication)\b/i, 1],
      [
        /\b(?:authors?|we) (?:\w+ )?(?:received|are grateful|thank|acknowledge|would like|express|has not|have not)/i,
        1,
      ],
      [/\bgrants?\b|\bscholarships?\b|\bfellowships?\b/i, 1],
      [/\b(?:Foundation|Ministry|Council|Programme|Program|Agency|Institutes?|Fund|University)\b/, 0.5],
      [
        /\bno (?:\w+ )?(?:funding|grants?|financial support|sources? of funding)\b|\bnot (?:\w+ )?(?:received|declared)\b/i,
        2,
      ],
      [
        /\bno (?:role|influence|involvement)\b|\bnot involved\b|\bviews?\b|\bopinions?\b|\bnot necessarily\b|\bcosts?\b/i,
        -2.5,
      ],
    ],
    // Thanks for data or advice are none.
    needs: /\bsupport|\bfund|\bfinanc|\bsponsor|\bgrant|\bscholarships?\b|\bfellowships?\b|\bawards?\b|\bpaid\b/i,
    sections: { ...ANYWHERE, introduction: -1, methods: -0.5, results: -0.5, back: 1, front: 0.7 },
    headings: /\bfund|\bfinancial|\bgrants?\b|\bsupport\b|\bsponsor|\backnowledge?ments?\b/i,
    most: 3,
    least: 3,
    isEarlyBetter: false,
  },
  limitations: {
    words: [
      [/\blimitations?\b|\blimited (?:by|to|due)\b/i, 2],
      [/\b(?:main|first|another|additional|several|some|important|major|potential) limitations?\b/i, 1],
      [/\blimitations? (?:of|to|in|is|are|was|include)/i, 1],
      [/\bsmall (?:sample|number|size)|\bsample size\b/i, 1],
      [/\bselection bias|\brecall bias|\bconfound|\bgenerali[sz]|\bcausal|\bretrospective nature\b/i, 1],
      [/\b(?:unable|not (?:able|possible)|could not|cannot be|did not|lack of|not (?:available|assessed))\b/i, 0.7],
      [/^(?:First|Second|Third|Finally|Moreover|In addition|Also|Although|However)\b/, 0.3],
      [
        /\b(?:our|this|the present|the current) (?:\w+ )?(?:study|review|analysis|trial|survey|findings|results)\b/i,
        0.7,
      ],
    ],
    sections: { discussion: 0.5, conclusion: 0.5, body: 0.3, results: 0, methods: -0.5, abstract: 0, back: -0.5 },
    headings: /\blimitation|\bweakness/i,
    announces:
      /\b(?:several|some|certain|few|following|potential|number of|many|its|the|important|two|three|four) limitations?(?: (?:of|to|in) (?:the|this|our) (?:\w+ )?(?:study|review|analysis|work|trial))?(?: (?:that )?(?:should|must|need)[^.]{0,60})?[.:]$|\bhas (?:\w+ )?limitations\b[^.]{0,50}[.:]$/i,
    most: 3,
    least: 2.5,
  },
  statistics: {
    words: [
      [STATISTICS, 2.5],
      [
        /\b(?:were|was) (?:\w+ )?(?:used|analy[sz]ed|performed|employed|applied|calculated|compared|tested|assessed|carried out|chosen|generated|made|evaluated|examined|determined)\b|\bwe (?:used|compared|performed|fitted|applied|calculated)\b|\b(?:using|by|through)\b/i,
        1,
      ],
      [/\bstatistical(?:ly)? (?:analys[ei]s|significan\w*|differen\w*|tests?|methods?)/i, 1],
      [/\b(?:compare|differences?|association|significan\w*|relationship|variables?|groups)\b/i, 0.5],
    ],
    sections: { methods: 1, abstract: 0.3, body: 0, results: -0.7 },
    headings: /\bstatistic|\bdata analys|\banalys[ei]s\b/i,
    most: 3,
    least: 3.4,
  },
  comparison: {
    words: [
      [
        /\b(?:served|used|considered|acted|taken|included|defined) as (?:an? |the )?(?:\w+ )?(?:controls?|comparators?|reference)\b/i,
        3,
      ],
      [
        /\bcontrols? (?:groups?|arms?|were|was|consisted)\b|\bcomparators?\b|\bplacebo\b|\b(?:matched|healthy) controls?\b/i,
        2,
      ],
      [/\bcompar(?:ed|ing|isons?|e) (?:\w+ ){0,3}(?:with|to|against|between|among)\b|\bversus\b|\bvs\.?\b/i, 1.5],
      [/\b(?:cases?|patients|participants|groups?)\b/i, 0.3],
      [STATISTIC_OF_RESULT, -1],
      [/\b(?:missing|no|without(?: an?)?|lack of(?: an?)?) (?:\w+ )?(?:controls?|comparators?)\b/i, -2],
      [OWN, 0.5],
    ],
    sections: { methods: 1, abstract: 1, introduction: 0, body: 0 },
    least: 3,
  },
  outcome: {
    words: [
      [/\b(?:primary|main|principal|key) (?:\w+ )?(?:outcomes?|end ?points?)\b/i, 4],
      [
        /\b(?:outcomes?|end ?points?) (?:measures? )?(?:was|were|is|are|included?|of interest)\b|\bas (?:a|the) measure of\b/i,
        2,
      ],
      [AIMS, 1.5],
      [
        /\b(?:were|was) (?:\w+ )?(?:measured|assessed|calculated|determined|evaluated|estimated|quantified)\b|\bin order to (?:evaluate|assess|determine)\b|\bwe (?:estimated|quantified|calculated|measured)\b/i,
        1,
      ],
      [/\bsecondary\b/i, -1],
      [STATISTIC_OF_RESULT, -1],
    ],
    sections: { abstract: 1, methods: 0.7, introduction: 0, body: 0 },
    least: 3.0,
  },
  population: {
    words: [
      [
        /\b(?:target|study|source) (?:population|sample|subjects?|participants)\b|\binclusion criteria\b|\beligib(?:le|ility)\b/i,
        1.5,
      ],
      [
        /\b(?:participants?|patients|subjects|adults|children|women|men|volunteers|students|workers|staff|animals|mice|rats|plants|leaves|seeds|samples|specimens|strains|isolates|cells)\b/i,
        1,
      ],
      [
        /\b(?:were|was) (?:\w+ )?(?:included|enrolled|recruited|selected|collected|obtained|harvested|purchased|eligible|sampled|invited|conducted (?:among|in|on|with))\b|\bparticipated\b|\bconducted (?:among|in|on|with)\b/i,
        1.5,
      ],
      [/\baged?\b|\byears (?:old|of age)\b|\bmean age\b/i, 0.7],
      [/\bA total of\b|\bn ?= ?\d/i, 0.5],
      [STATISTIC_OF_RESULT, -0.7],
    ],
    sections: { abstract: 1, methods: 1, results: 0, body: 0 },
    headings: /\bparticipants?\b|\bpatients?\b|\bpopulation\b|\bsubjects\b|\bplant material\b|\bsampl/i,
    least: 6,
  },
  intervention: {
    words: [
      [
        /\b(?:intervention|exposure|treatment)s? (?:was|were|is|consisted|included?|groups?|of interest)\b|\b(?:eligible|study) intervention\b/i,
        2,
      ],
      [
        /\b(?:treated with|received|exposed to|administered|were given|randomi[sz]ed to|randomly (?:assigned|allocated)|supplemented with|assigned to)\b/i,
        1.7,
      ],
      [
        /\b(?:effects?|efficacy|effectiveness|impact|influence|safety|activity|role|associations?) (?:and \w+ )?of\b/i,
        1,
      ],
      [AIMS, 0.7],
      [/\b(?:mg|µg|μg|mL|μL|doses?|courses?|weeks|daily)\b/i, 0.5],
      [STATISTIC_OF_RESULT, -0.7],
    ],
    sections: { abstract: 1, methods: 1, introduction: 0, body: 0 },
    least: 4,
  },
  interests: {
    words: [
      [
        /\b(?:conflicts?|competing|declarations?) (?:of )?(?:\w+ )?interests?\b|\bcompeting (?:financial )?interests?\b/i,
        3,
      ],
      [/\b(?:no|none|nothing)\b|\bnot (?:have|declare)\b/i, 0.5],
      [
        /\bdeclare|\bdisclos|\bhonoraria\b|\bconsult(?:ant|ing)\b|\bspeaker\b|\bpersonal fees\b|\bshareholder\b|\bemployee/i,
        1,
      ],
    ],
    sections: { back: 1, front: 0.7, conclusion: 0, discussion: 0, methods: 0, body: 0, abstract: 0 },
    headings: /\binterests?\b|\bdisclosure/i,
    least: 2.5,
  },
  ethics: {
    words: [
      [/\b(?:ethics|ethical|review board|IRB|institutional (?:\w+ )?committee)\b/i, 2],
      [/\bapprov(?:ed|al)|\bexempt|\bwaived|\bnot (?:required|applicable|necessary)\b|\bapplicable\b/i, 1.5],
      [/\binformed consent\b|\bHelsinki\b|\bprotocol (?:number|no)\b/i, 0.5],
    ],
    sections: { ...ANYWHERE, introduction: -1, back: 1, front: 0.5, methods: 0.7 },
    headings: /\bethic|\bconsent|\breview board/i,
    least: 3,
  },
  data: {
    words: [
      [/\bdata(?:sets?)?\b/i, 0.7],
      [/\bavailab(?:le|ility)\b|\bdeposited\b|\baccess(?:ed|ible)\b|\bshar(?:ed|ing)\b/i, 1.5],
      [
        /\bdata(?:[- ]?sets?)?\b.{0,90}\b(?:are|is|were|was|can be|will be|would be) (?:\w+ ){0,2}(?:available|included|provided|deposited|found|accessed|contained)\b/i,
        1,
      ],
      [/\bfrom the (?:corresponding )?authors?\b|\b(?:up)?on (?:reasonable )?request\b/i, 1],
      [
        /\brepositor(?:y|ies)\b|\bsupplement\w+|\bsupporting information\b|\badditional files?\b|\baccession\b|\bnot applicable\b|\b(?:within|in) (?:the|this) (?:published )?(?:article|paper|manuscript)\b/i,
        1,
      ],
      [/\bno (?:new )?data\b|\bdata were not (?:used|created|generated)\b/i, 2],
    ],
    sections: { ...ANYWHERE, introduction: -1, back: 1, front: 0.5 },
    headings: /\bdata\b.{0,20}\b(?:availab|access|sharing|deposit)/i,
    least: 2.7,
    isEarlyBetter: false,
  },
  registration: {
    words: [
      [
        /\b(?:NCT ?\d{6,}|ISRCTN ?\d+|CRD ?\d{6,}|ChiCTR[\w-]+|ACTRN ?\d+|EudraCT|UMIN ?\d+|CTRI\/[\w/]+|PROSPERO)\b/i,
        3,
      ],
      [/\bregist(?:ered|ration|ry)\b/i, 1.5],
    ],
    sections: { ...ANYWHERE, back: 0.3, front: 0.3 },
    headings: /\bregistration/i,
    least: 3.5,
  },
};
