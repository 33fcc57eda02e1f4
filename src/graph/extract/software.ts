import type { Stretch } from '../../parse/index.ts';

export interface SoftwareMention extends Stretch {
  readonly paragraph: number;
  /** As printed; `program` is the name shared by all spellings. */
  readonly name: string;
  readonly program: string;
  readonly version: string | undefined;
  readonly reason: 'known' | 'called software' | 'version' | 'named before';
}

export const SOFTWARE_VERSION = 3;

const VERSION =
  /^[®™]{0,2},? ?[([]?(?:(?:version|versions|ver\.?|v\.?|release) ?(?<version>\d[\w.-]{0,20}\w|\d)|(?<number>\d{1,3}(?:\.\d\w*){0,4}))(?![\p{L}\d%]| ?(?:[mµμnk]?(?:mol|M|g|L|V|A|W|s|m)|equiv|min|h|°C|Pa|wt|vol|×|±)(?!\p{L}))/iu;
/** Behind the name of a program: "X (v. 2) statistical software". */
const CALLED =
  /^[®™]{0,2}(?:,? ?[([]?(?:version |ver\.? ?|v\.? ?)?\d[\w.-]{0,20}[)\]]?)?,? (?:(?:statistical|statistics|analysis|imaging|image|computer|data|graphics|modell?ing|prediction|clustering|alignment|visuali[sz]ation|R) ){0,2}(?:softwares?|packages?|toolbox|toolkit|plug-?in|web ?server)\b/u;
const PROGRAM =
  /^[®™]{0,2}(?:,? ?[([]?(?:version |ver\.? ?|v\.? ?)?\d[\w.-]{0,20}[)\]]?)? (?:computer |statistical )?program\b/u;
const USED = /\b(?:using|with|by|in|via|through|use of|used|implemented in)(?: the)?(?: \p{Ll}+)? ["'“‘]?$/u;
/** In front of the name: "the software X", "the program X", "software package X". */
const ANNOUNCED =
  /\b(?:softwares?|computer program|programs?|software packages?|packages?|toolbox|plug-?in|web server)(?: (?:called|named))? ["'“‘]?$/iu;
const LIBRARY =
  /\b(?:R|Python|Bioconductor|Perl|MATLAB|Matlab) (?:packages?|librar(?:y|ies)|modules?|toolbox(?:es)?) ["'“‘]?$/u;
const LIBRARIES =
  /\b(?:R|Python|Bioconductor|Perl|MATLAB|Matlab) (?:packages?|librar(?:y|ies)|modules?|toolbox(?:es)?) ["'“‘]?/gu;
/** R counts only as a language, a program or a team. */
const R =
  /(?<![\p{L}\d-])R(?= (?:(?:version|v\.?|ver\.?) ?)?\d\.\d|,? (?:statistical |computing |core )?(?:software|packages?|library|environment|language|program|project|script|Core Team|Foundation|Development Core Team)\b| \(?(?:version|v\.?) ?\d| \((?:R Core|R Development|R Foundation|R Project))/gu;

/** A word that may be a name: it begins with a capital or has a capital or digit inside. */
const NAME =
  /(?<![\p{L}\d.@/-])(?:\p{Lu}[\p{L}\d+*'’-]{1,40}|\p{Ll}{1,20}[\p{Lu}\d][\p{L}\d-]{0,40})(?: (?:\p{Lu}[\p{L}\d+*'’-]{0,40}|\d?\p{Lu}))?/gu;
const SMALL_NAME = /(?<![\p{L}\d])[\p{L}][\p{L}\d.]{1,30}[\p{L}\d]/uy;
/** Words with a version or before "package" that are not programs: databases, scales, months. */
const NO_PROGRAM =
  /^(?:The|An?|Our|This|These|All|Both|Using|With|In|And|We|January|February|March|April|May|June|July|August|September|October|November|December|Spring|Summer|Autumn|Winter|NIST|Wiley|GenBank|UniProt|Ensembl|KEGG|PubMed|MEDLINE|Scopus|Embase|Cochrane|CTCAE|MedDRA|ICD|DSM|SNOMED|Table|Figure|Fig|Section|Chapter|Part|Phase|Study|Group|Model|Version|Windows|Mac|Microsoft|Adobe|IBM|Apple|Inc|Ltd|Creative|Commons|Supplementary|Additional|Online|Open|Free|Source|New|Statistical|Image|Data|Analysis|Technology|University|Institute|HIV|DNA|RNA|PCR|pH|US|USA|UK|EU|WHO)(?![\p{L}\d])|^v\d/u;
const MAKERS =
  /^(?:Microsoft|Adobe|IBM|Leica|Zeiss|Nikon|Olympus|Bio-Rad|BD|Agilent|Affymetrix|Illumina|Bruker|Thermo|Roche|Invitrogen|Philips|Siemens|Waters|Rigaku|Hitachi|Shimadzu)\s/u;

export function findSoftware(paragraphs: readonly string[]): SoftwareMention[] {
  const found: SoftwareMention[] = [];
  const named = new Map<string, string>();
  for (const [paragraph, text] of paragraphs.entries()) {
    const own = [...knownIn(text), ...namedIn(text)].map((mention) => ({
      ...mention,
      program: withoutCitation(mention.program),
      paragraph,
    }));
    for (const mention of own.sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (overlaps(found, mention) || isMaker(text, mention.start, mention.end)) continue;
      found.push(mention);
      if (mention.reason !== 'known' && isDistinct(mention.name)) named.set(mention.name, mention.program);
    }
  }
  for (const [paragraph, text] of paragraphs.entries())
    for (const [name, program] of named)
      for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
        const mention = { start: at, end: at + name.length, name, program, version: versionAt(text, at + name.length) };
        const whole = { ...mention, paragraph, reason: 'named before' as const };
        if (isWhole(text, mention) && !overlaps(found, whole) && !isMaker(text, whole.start, whole.end))
          found.push(whole);
      }
  return found.sort((a, b) => a.paragraph - b.paragraph || a.start - b.start);
}

/** "RAxML27": a raised number of a reference, or of a version; "Bowtie2" and "Primer3" are names. */
export function withoutCitation(program: string): string {
  return program.replace(/(?<=\p{Ll}{2}|\p{L}{2}\p{Lu})\d{2,3}$/u, '');
}

/** What is searched, bought or read from, and no program: databases, collections, makers of instruments. */
export const NO_SOFTWARE =
  /^(?:NIST|Wiley|GenBank|RefSeq|UniProt|Swiss-?Prot|TrEMBL|Ensembl|KEGG|COG|KOG|PubMed|(?:Ovid )?MEDLINE|Scopus|Embase|CINAHL|PsycINFO|Cochrane|Web of Science|Google Scholar|Pfam|TIGRFAM|InterPro|Rfam|Phytozome|TAIR|miRBase|Repbase|NCBI|DSMZ|ATCC|PacBio|Illumina|HiSeq|MiSeq|Promega|Qiagen|Invitrogen|Macrogen|GmbH)(?: |$)/iu;

type Mention = Omit<SoftwareMention, 'paragraph'>;

function* knownIn(text: string): Generator<Mention> {
  for (const match of text.matchAll(/(?<![\p{L}\d.@/-])[\p{L}\d]+/gu)) {
    const here = text.slice(match.index, match.index + 60);
    const known = KNOWN_SOFTWARE.get(match[0].toLowerCase())?.find(({ print }) => isPrint(here, print));
    if (!known) continue;
    const end = match.index + known.print.length;
    const name = text.slice(match.index, end);
    const other = name !== known.print && (/^\p{Ll}/u.test(known.print) || name.length < 4);
    if ((known.ambiguous || other) && !hasCue(text, match.index, end)) continue;
    yield { start: match.index, end, name, program: known.name, version: versionAt(text, end), reason: 'known' };
  }
  for (const { index } of text.matchAll(R))
    yield {
      start: index,
      end: index + 1,
      name: 'R',
      program: 'R',
      version: versionAt(text, index + 1),
      reason: 'known',
    };
}

/** Whether a text begins with a spelling; case may differ, except that a leading capital must stay one. */
function isPrint(text: string, print: string): boolean {
  const here = text.slice(0, print.length);
  if (here.toLowerCase() !== print.toLowerCase() || /^[\p{L}\d+*]/u.test(text.slice(print.length))) return false;
  return here === print || /\p{Lu}/u.test(here[0] ?? '') || !/\p{Lu}/u.test(print[0] ?? '');
}

function hasCue(text: string, start: number, end: number): boolean {
  const [before, behind] = [text.slice(Math.max(0, start - 40), start), text.slice(end, end + 80)];
  if (CALLED.test(behind) || MADE_BY.test(behind) || ANNOUNCED.test(before) || LIBRARY.test(before)) return true;
  const used = USED.test(before);
  return (
    VERSION.exec(behind)?.groups?.['version'] !== undefined || (used && (PROGRAM.test(behind) || VERSION.test(behind)))
  );
}

/** "SAS (SAS Institute", "Prism (GraphPad Software". */
const MADE_BY = /^[®™]{0,2},? [([][^()[\]]{0,60}\b(?:Inc|Corp|Corporation|Software|SAS Institute|GmbH|Ltd)\b/u;

/** Names that are not in the list, by the words around them. */
function* namedIn(text: string): Generator<Mention> {
  for (const match of text.matchAll(NAME)) {
    const words = match[0].split(' ');
    for (const count of words.length === 2 ? [2, 1] : [1]) {
      const raw = words
        .slice(0, count)
        .join(' ')
        .replace(/['’-]$/u, '');
      const name = raw.replace(MAKERS, '');
      const start = match.index + raw.length - name.length;
      const end = match.index + raw.length;
      const reason = NO_PROGRAM.test(name) || name.length < 3 ? undefined : cueOf(text, start, end, name);
      if (reason === undefined) continue;
      yield { start, end, name, program: name, version: versionAt(text, end), reason };
      break;
    }
  }
  // "the R package mixfit": the name may be in lower case.
  for (const match of text.matchAll(LIBRARIES)) {
    SMALL_NAME.lastIndex = match.index + match[0].length;
    const name = SMALL_NAME.exec(text)?.[0] ?? '';
    if (!/^\p{Ll}+(?:\.\p{Ll}+)*$/u.test(name) || SMALL_WORDS.test(name)) continue;
    const start = match.index + match[0].length;
    const end = start + name.length;
    yield { start, end, name, program: name, version: versionAt(text, end), reason: 'called software' };
  }
}

const SMALL_WORDS =
  /^(?:for|that|which|was|were|is|are|and|the|used|using|from|to|on|by|can|with|in|of|we|available|developed|version|called|named|such|including|has|have|as|at|or|it|this|these|provides|written|implemented|based)$/;

function cueOf(text: string, start: number, end: number, name: string): SoftwareMention['reason'] | undefined {
  const [before, behind] = [text.slice(Math.max(0, start - 60), start), text.slice(end, end + 90)];
  const distinct = isDistinct(name);
  const used = USED.test(before);
  if (CALLED.test(behind) && (distinct || used)) return 'called software';
  if (distinct && LIBRARY.test(before)) return 'called software';
  if (distinct && used && PROGRAM.test(behind)) return 'called software';
  if (distinct && ANNOUNCED.test(before) && /^(?:[,.;:)\]"'”’]| (?:v|ver|version|was|to|for|and|\()|$)/u.test(behind))
    return 'called software';
  const { version, number } = VERSION.exec(behind)?.groups ?? {};
  if (!used && !ANNOUNCED.test(before)) return undefined;
  if (distinct) return version !== undefined || number?.includes('.') === true ? 'version' : undefined;
  // "criteria in Solid Tumors version 1.1" names no program; "using Gblocks version 0.91" does.
  return version !== undefined && /\b(?:using|with|via|through|software|program)(?: the)? $/u.test(before)
    ? 'version'
    : undefined;
}

/** Whether a name is not an ordinary word: capitals inside, or digits next to small letters. */
function isDistinct(name: string): boolean {
  return /\p{Ll}\p{Lu}|\p{Lu}{2}\p{L}{0,20}\p{Ll}|\p{Ll}\d|\p{Lu}{2}[\p{L}\d]{0,20}-\p{L}|^\p{Lu}{4,40}$/u.test(name);
}

/** Whether a name is that of a company: "(SPSS Inc., Chicago", "GraphPad Software, San Diego". */
function isMaker(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 14), start);
  const after = text.slice(end, end + 24);
  if (/^,? (?:Inc|Institute|Corp|Co\b|Ltd|GmbH|LLC|Systems|Technologies|Global|Development)/u.test(after)) return true;
  if (/^ Software(?: Inc|,)/u.test(after) && /[(;,] ?$/u.test(before)) return true;
  return /[(;] ?$/u.test(before) && /^,? (?:an )?(?:IBM|\p{Lu}\p{Ll}+)(?: \p{Lu}\p{Ll}+)?[,;)]/u.test(after);
}

function isWhole(text: string, { start, end }: Stretch): boolean {
  return !/[\p{L}\d.@/-]$/u.test(text.slice(0, start).slice(-1)) && !/^[\p{L}\d+*/-]/u.test(text.slice(end, end + 1));
}

function overlaps(found: readonly SoftwareMention[], mention: SoftwareMention): boolean {
  return found.some(
    (other) => other.paragraph === mention.paragraph && other.start < mention.end && mention.start < other.end,
  );
}

function versionAt(text: string, end: number): string | undefined {
  const { version, number } = VERSION.exec(text.slice(end, end + 40))?.groups ?? {};
  return version ?? (number?.includes('.') === true ? number : undefined);
}

/** Programs that papers mention without explanation: the name of the node, then other spellings. */
const KNOWN = `SPSS=IBM SPSS=SPSS Statistics=IBM SPSS Statistics=PASW=PASW Statistics=Statistical Package for the Social Sciences=Statistical Package for Social Sciences
SAS=SAS/STAT=Statistical Analysis System|Stata=Stata/SE=Stata/MP|MATLAB|Mathematica|Maple|Minitab|JMP|Statistica|SigmaPlot=Sigma Plot|SigmaStat|Systat|MedCalc|StatView|NCSS|WinBUGS|OpenBUGS|JAGS|Stan|RStudio|
Bioconductor|Python|Perl|BioPerl|Biopython|Java|JavaScript|MySQL|PostgreSQL|SQLite|Linux|Microsoft Excel=MS Excel=Excel=MS-Excel|Microsoft Office|Microsoft Access=MS Access|PowerPoint=Microsoft PowerPoint|Adobe Photoshop=Photoshop|Adobe Illustrator=Illustrator|ImageJ=Image J=Image-J=NIH ImageJ|Fiji|CellProfiler|Imaris|MetaMorph|Volocity|NIS-Elements|
AxioVision|ZEN|Image-Pro Plus=Image Pro Plus=Image-Pro|ImageQuant|Image Lab|Quantity One|GraphPad Prism=GraphPad=Prism=Graph Pad Prism|GraphPad InStat|FlowJo|CellQuest|FACSDiva|FCS Express|ModFit=ModFit LT|BLAST=BLASTN=BLASTP=BLASTX=TBLASTN=PSI-BLAST|Clustal=ClustalW=ClustalX=Clustal W=Clustal X=Clustal Omega=ClustalX2|MAFFT|MUSCLE|T-Coffee|HMMER|
MEGA=MEGA X=MEGAX=MEGA4=MEGA5=MEGA6=MEGA7|MrBayes|BEAST|RAxML|PhyML|PAUP|PHYLIP|FigTree|IQ-TREE|FastTree|ModelTest|jModelTest|Bowtie=Bowtie2|BWA|SAMtools|GATK|TopHat=TopHat2|Cufflinks|HISAT2|featureCounts|HTSeq|DESeq2=DESeq|edgeR|limma|Trimmomatic|FastQC|Cutadapt|QIIME=QIIME2|mothur|UCHIME|USEARCH|Velvet|SPAdes|Trinity|
PLINK|Haploview|EIGENSTRAT|Arlequin|GENEPOP|BioEdit|DNASTAR|Lasergene|Geneious|Vector NTI|Sequencher|Primer3|Primer Express|Primer-BLAST|SignalP|TMHMM|PSORT|TargetP|InterProScan|PyMOL|UCSF Chimera=Chimera|VMD|Jmol|RasMol|Coot|PHENIX|CCP4|REFMAC=REFMAC5|Phaser|MOLREP|SHELXL=SHELXL-97|SHELXS=SHELXS-97|SHELXT|XDS|MOSFLM|HKL2000=HKL-2000|PROCHECK|
MolProbity|MODELLER|AutoDock=AutoDock Vina|GROMACS|AMBER|NAMD|CHARMM|Gaussian=Gaussian 09=Gaussian 03=Gaussian 16|Glide|LigandScout|Mascot|SEQUEST|MaxQuant|Perseus|Proteome Discoverer|Cytoscape|Ingenuity Pathway Analysis|GSEA|Galaxy|GBrowse|IGV|SPM=SPM5=SPM8=SPM12|FSL|FreeSurfer|AFNI|BrainVoyager|EEGLAB|FieldTrip|
E-Prime|Psychtoolbox|LabVIEW|pClamp|Clampfit|Clampex|Igor Pro|OriginPro=Origin Pro|NVivo|ATLAS.ti|MAXQDA|EndNote|RevMan=Review Manager|REDCap|Epi Info=EpiInfo|EpiData|G*Power=GPower|Winsteps|Mplus|AMOS|LISREL|EQS|ArcGIS|ArcMap|ArcView|QGIS|ERDAS|ENVI|MaxEnt|ABAQUS|ANSYS|COMSOL|SolidWorks|AutoCAD|OpenFOAM|Fluent|
TensorFlow|PyTorch|Keras|scikit-learn|NumPy|SciPy|matplotlib|ggplot2|lme4|Jupyter|Docker|Snakemake|Nextflow|Seurat|Scanpy|Cell Ranger|Kallisto|Salmon|StringTie|Weka|GeneSpring|Partek|BeadStudio|GenomeStudio|dChip|TreeView=Java TreeView|WinNonlin=Phoenix WinNonlin|NONMEM|MONOLIX|TargetScan|miRanda|RNAfold|Mfold|
OpenClinica|SoftMax Pro|Gen5|LAS X|LSM Image Browser|SlideBook|Openlab|IPLab|Huygens|EMAN2=EMAN|RELION|cryoSPARC|IMOD|CTFFIND4|MotionCor2|DeepLabCut|AlphaFold|BRB-ArrayTools|DnaSP|Blast2GO|WebLogo|MUMmer|RepeatMasker|AUGUSTUS|GENSCAN|tRNAscan-SE|Prokka|Kraken2|MetaPhlAn|DIAMOND|MEGAN|BioEstat|XLSTAT=XLSTAT-PRO|PAST|SIMCA=SIMCA-P|CellSens|MicroCal|Unscrambler`;

/** Names with other meanings: they count only with a cue such as "software" or a version. */
const AMBIGUOUS: ReadonlySet<string> = new Set(
  'maple|stan|python|java|excel|fiji|zen|prism|muscle|mega|beast|velvet|trinity|coot|phenix|phaser|amber|gaussian|glide|mascot|perseus|galaxy|spm|fsl|amos|eqs|envi|fluent|salmon|weka|huygens|augustus|diamond|megan|past|chimera|seurat|illustrator|docker|eman|simca|sas'.split(
    '|',
  ),
);

/** Known programs by the first word of a spelling in lower case, longest spelling first. */
const KNOWN_SOFTWARE = Map.groupBy(
  KNOWN.split(/[|\n]+/)
    .flatMap((entry) => {
      const [name = '', ...prints] = entry.split('=');
      return [name, ...prints].map((print) => ({ print, name, ambiguous: AMBIGUOUS.has(print.toLowerCase()) }));
    })
    .sort((a, b) => b.print.length - a.print.length),
  ({ print }) => (/^[\p{L}\d]+/u.exec(print)?.[0] ?? '').toLowerCase(),
);
