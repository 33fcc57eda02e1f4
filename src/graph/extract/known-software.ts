/**
 * Programs that papers of many fields name without saying what they are: the name of the node, then other prints of it.
 * Versions that are part of a print (MEGA7) are left to the reader of versions.
 */
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

/** Names that are also words, people, places or initials of something else: they count only beside a cue. */
const AMBIGUOUS: ReadonlySet<string> = new Set(
  'maple|stan|python|java|excel|fiji|zen|prism|muscle|mega|beast|velvet|trinity|coot|phenix|phaser|amber|gaussian|glide|mascot|perseus|galaxy|spm|fsl|amos|eqs|envi|fluent|salmon|weka|huygens|augustus|diamond|megan|past|chimera|seurat|illustrator|docker|eman|simca|sas'.split(
    '|',
  ),
);

/** A known program as it is printed: the name of its node, and whether the print alone is enough. */
export interface KnownSoftware {
  readonly print: string;
  readonly name: string;
  readonly ambiguous: boolean;
}

/** Known programs by the first word of a print in lower case, the longest print first. */
export const KNOWN_SOFTWARE: ReadonlyMap<string, readonly KnownSoftware[]> = Map.groupBy(
  KNOWN.split(/[|\n]+/)
    .flatMap((entry) => {
      const [name = '', ...prints] = entry.split('=');
      return [name, ...prints].map((print) => ({ print, name, ambiguous: AMBIGUOUS.has(print.toLowerCase()) }));
    })
    .sort((a, b) => b.print.length - a.print.length),
  ({ print }) => (/^[\p{L}\d]+/u.exec(print)?.[0] ?? '').toLowerCase(),
);
