"""Converts the public sets that the reader learns from to the forms of README.md.

python3 sets.py --mirrors DIR --trials FILE --out sets [NAME …]

DIR has a clone of each repository of sets.json, OWNER+NAME or OWNER+NAME/repo, bare or not. FILE lists the trials of
evidence-inference to learn from, one PMC number a line: others judge with the rest. Needs only Python and git.
"""

import argparse
import csv
import io
import itertools
import json
import os
import re
import subprocess
import xml.etree.ElementTree as xml

SETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sets.json")
# A full stop after these ends no sentence.
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|et al|vs|cf|Fig|Figs|Eq|Ref|Refs|Tab|No|Dr|Mr|Mrs|St|approx|ca|c|resp)|\b[A-Z])\.$")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])|\n+")
SHORTEST_SENTENCE = 12


class Repository:
    """The files of one clone, at its newest commit."""

    def __init__(self, mirrors, name):
        plain = os.path.join(mirrors, name.replace("/", "+"))
        nested = os.path.join(plain, "repo")
        self.folder = nested if os.path.isdir(nested) else plain

    def git(self, *words):
        return subprocess.run(["git", "-C", self.folder, *words], check=True, capture_output=True).stdout

    def names(self, folder):
        return self.git("ls-tree", "--name-only", "-z", "HEAD", f"{folder}/").decode().rstrip("\0").split("\0")

    def read(self, path):
        return self.git("show", f"HEAD:{path}")

    def read_many(self, paths):
        """Files by path, with one process for all of them; files that the clone has not are left out."""
        asked = "".join(f"HEAD:{path}\n" for path in paths)
        batch = ["git", "-C", self.folder, "cat-file", "--batch"]
        found = io.BytesIO(subprocess.run(batch, input=asked.encode(), check=True, capture_output=True).stdout)
        files = {}
        for path in paths:
            words = found.readline().split()
            if words[-1] == b"missing":
                continue
            files[path] = found.read(int(words[-1]))
            found.read(1)
        return files

    def text(self, path):
        return self.read(path).decode("utf-8-sig")

    def json(self, path):
        return json.loads(self.text(path))

    def json_lines(self, path):
        return [json.loads(line) for line in self.text(path).splitlines() if line.strip()]

    def table(self, path, delimiter="\t", quoting=csv.QUOTE_NONE):
        return list(csv.DictReader(io.StringIO(self.text(path)), delimiter=delimiter, quoting=quoting))


def sentence_places(text):
    """Where the sentences of a text begin and end."""
    places, start = [], 0
    for gap in [*SENTENCE_END.finditer(text), None]:
        end = gap.start() if gap else len(text)
        if gap and "\n" not in gap.group() and ABBREVIATION.search(text[start:end]):
            continue
        if len(text[start:end].strip()) >= SHORTEST_SENTENCE:
            places.append((start, end))
        start = gap.end() if gap else end
    return places


def sentences_of(text):
    return [clean(text[start:end]) for start, end in sentence_places(text)]


def clean(text):
    return re.sub(r"\s+", " ", text).strip()


def letters(text):
    return re.sub(r"[\W_]+", "", text.lower())


def containing(sentences, pieces):
    """Places of the sentences that a piece of text has, or that have it whole."""
    wanted = [letters(piece) for piece in pieces]
    found = []
    for at, sentence in enumerate(map(letters, sentences)):
        if any(piece and (piece in sentence or (len(sentence) > 20 and sentence in piece)) for piece in wanted):
            found.append(at)
    return found


def span_questions(data):
    """Questions of the form of SQuAD: the sentence with the answer's first letter answers."""
    for article in data:
        for paragraph in article["paragraphs"]:
            places = sentence_places(paragraph["context"])
            sents = [clean(paragraph["context"][start:end]) for start, end in places]
            for asked in paragraph["qas"]:
                starts = [answer["answer_start"] for answer in asked["answers"]]
                gold = [at for at, (start, end) in enumerate(places) if any(start <= s < end for s in starts)]
                if gold and len(sents) > 1:
                    title = article.get("title", "").replace("_", " ")
                    yield {"q": clean(asked["question"]), "title": title, "sents": sents, "gold": gold}


def nqg_squad(repository, _):
    # Only the part that comes from SQuAD's training questions: others judge with its development questions (XQuAD).
    sources = [untokenized(line) for line in repository.text("data/processed/src-test.txt").splitlines()]
    questions = [untokenized(line) for line in repository.text("data/processed/tgt-test.txt").splitlines()]
    for at, (source, question) in enumerate(zip(sources, questions)):
        # Questions are in the order of the article: the sentences around are those of the same paragraph.
        near = list(dict.fromkeys(sources[max(0, at - 12) : at + 13]))
        yield {"q": question, "title": "", "sents": near, "gold": [near.index(source)]}


def untokenized(line):
    """A tokenized line as it is printed, but in lower case."""
    for token, sign in {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "``": '"', "''": '"', "--": "–"}.items():
        line = line.replace(token, sign)
    return re.sub(r" ([,.;:?!%)\]]|'s\b|n't\b)|(?<=[(\[]) ", lambda found: found.group(1) or "", line).strip()


def covidqa(repository, documents):
    data = repository.json("data/question-answering/200423_covidQA.json")["data"]
    for at, article in enumerate(data):
        for paragraph in article["paragraphs"]:
            places = sentence_places(paragraph["context"])
            sents = [clean(paragraph["context"][start:end]) for start, end in places]
            doc = str(at)
            documents.append({"doc": doc, "title": sents[0][:160], "sents": sents, "heads": [""] * len(sents)})
            for asked in paragraph["qas"]:
                spans = [(a["answer_start"], a["answer_start"] + len(a["text"])) for a in asked["answers"]]
                gold = overlapping(places, spans)
                if gold:
                    yield {"q": clean(asked["question"]), "doc": doc, "gold": gold}


def overlapping(places, spans):
    """Places of the sentences that a span shares more than a few letters with."""
    shared = [max((min(end, e) - max(start, s) for s, e in spans), default=0) for start, end in places]
    return [at for at, letters_shared in enumerate(shared) if letters_shared > min(3, places[at][1] - places[at][0] - 1)]


# The parts of a prompt are asked in several ways, two each: a reader that knows one way only misses the others.
WORDINGS_OF_TRIALS = (
    "What is the effect of {what} on {to} compared with {than}?",
    "How did {what} compare with {than} with respect to {to}?",
    "Does {what} change {to} in comparison to {than}?",
    "Was there a difference in {to} between {what} and {than}?",
    "{what} versus {than}: {to}",
)
WORD = re.compile(r"[^\W\d_]{3,}")
FEWEST_WORDS = 3
HEADING = re.compile(r"^(?:TITLE|ABSTRACT|BODY)[A-Z0-9 .,:;/()&'-]*:\s*$", re.MULTILINE)


def evidence_of_trials(repository, trials):
    """Each prompt of evidence-inference with its valid annotations, by trial."""
    prompts = {row["PromptID"]: row for row in repository.table("annotations/prompts_merged.csv", ",", csv.QUOTE_MINIMAL)}
    found = {}
    for row in repository.table("annotations/v2_annotations.csv", ",", csv.QUOTE_MINIMAL):
        trial = f"PMC{row['PMCID']}"
        if trial in trials and row["Valid Label"] == row["Valid Reasoning"] == "True" and row["PromptID"] in prompts:
            asked = found.setdefault(trial, {}).setdefault(row["PromptID"], (prompts[row["PromptID"]], []))
            asked[1].append(row)
    return found


def evinf(repository, documents, trials):
    asked = evidence_of_trials(repository, trials)
    wordings = itertools.cycle(WORDINGS_OF_TRIALS)
    texts = repository.read_many([f"annotations/txt_files/{trial}.txt" for trial in sorted(asked)])
    for path, content in texts.items():
        trial = os.path.basename(path).removesuffix(".txt")
        text = content.decode()
        headings = [(found.start(), found.group().strip(" :\n").rsplit(".", 1)[-1].capitalize()) for found in HEADING.finditer(text)]
        places = [place for place in sentence_places(text) if not HEADING.match(text[place[0] : place[1]])]
        heads = [next((name for start, name in reversed(headings) if start < place[0]), "") for place in places]
        sents = [clean(text[start:end]) for start, end in places]
        documents.append({"doc": trial, "title": sents[0], "sents": sents, "heads": heads})
        for prompt, rows in asked[trial].values():
            spans = [(int(row["Evidence Start"]), int(row["Evidence End"])) for row in rows]
            gold = overlapping(places, [span for span in spans if 0 <= span[0] < span[1]])
            # Cells of a table, read as text, say nothing alone.
            gold = [at for at in gold if len(WORD.findall(sents[at])) >= FEWEST_WORDS]
            if not gold:
                continue
            what, to, than = (clean(prompt[field]) for field in ("Intervention", "Outcome", "Comparator"))
            asked_so = [wording.format(what=what, to=to, than=than) for wording in (next(wordings), next(wordings))]
            yield {"q": asked_so[0], "alts": asked_so[1:], "doc": trial, "gold": gold}


def medquad(repository, _):
    # The folders of National Institutes of Health; answers of MedlinePlus were taken out of the others.
    for folder in ("1_CancerGov_QA", "2_GARD_QA", "4_MPlus_Health_Topics_QA", "5_NIDDK_QA", "6_NINDS_QA", "8_NHLBI_QA_XML"):
        for content in repository.read_many(repository.names(folder)).values():
            root = xml.fromstring(content)
            answers = [(pair.findtext("Question") or "", pair.findtext("Answer") or "") for pair in root.iter("QAPair")]
            sections = [(clean(q), sentences_of(answer)[:8]) for q, answer in answers]
            sents = [sentence for _, section in sections for sentence in section]
            start = 0
            for question, section in sections:
                if section and len(sents) > len(section):
                    # The first sentence of an answer says most of it.
                    yield {"q": question, "title": clean(root.findtext("Focus") or ""), "sents": sents, "gold": [start]}
                start += len(section)


def pubmedqa(repository, _):
    for each in repository.json("data/ori_pqal.json").values():
        context = [sentence for part in each["CONTEXTS"] for sentence in sentences_of(part)]
        conclusion = sentences_of(each["LONG_ANSWER"])
        gold = [at + len(context) for at in range(len(conclusion))]
        if gold:
            yield {"q": clean(each["QUESTION"]), "title": "", "sents": context + conclusion, "gold": gold}


def paragraph_questions(asked, documents):
    """Questions with the paragraphs that answer: the other sentences are those of all such paragraphs of the paper."""
    for doc, (title, questions) in asked.items():
        paragraphs = dict.fromkeys(p for _, evidence, _ in questions for p in evidence if not p.startswith("FLOAT"))
        sents = list(dict.fromkeys(sentence for paragraph in paragraphs for sentence in sentences_of(paragraph)))
        if len(sents) < 4:
            continue
        documents.append({"doc": doc, "title": title, "sents": sents, "heads": [""] * len(sents)})
        for question, evidence, pieces in questions:
            inside = set(containing(sents, evidence))
            gold = [at for at in containing(sents, pieces) if at in inside]
            # Answers in other words: the paragraph is only good as evidence where it is short.
            if not gold and len(inside) <= 3:
                gold = sorted(inside)
            if gold:
                yield {"q": clean(question), "doc": doc, "gold": gold}


def qasper_train(repository, documents):
    asked = {}
    for paper in repository.json("output.json"):
        for each in paper["qas"]:
            spans = [span for answer in each["answer"] if isinstance(answer, list) for span in answer]
            spans = [span for span in spans if isinstance(span, str)]
            asked.setdefault(str(paper["paper_index"]), (paper["title"], []))[1].append((each["question"], each["evidence"], spans))
    yield from paragraph_questions(asked, documents)


def qasper_dev(repository, documents):
    asked = {}
    for each in repository.json("data/dev_question_dict.json").values():
        found = asked.setdefault(each["article_id"], ("", []))[1]
        found.append((each["text"], each["evidence"], each["highlighted_evidence"]))
    yield from paragraph_questions(asked, documents)


def clapnq(repository, _):
    for name in ("answerable", "unanswerable"):
        for each in repository.json_lines(f"annotated_data/dev/clapnq_dev_{name}.jsonl"):
            passage = each["passages"][0]
            selected = {s for output in each["output"] for s in output.get("selected_sentences") or []}
            gold = [at for at, sentence in enumerate(passage["sentences"]) if sentence in selected]
            if bool(gold) == (name == "answerable"):
                yield {"q": each["input"], "title": passage["title"], "sents": passage["sentences"], "gold": gold}


def qed(repository, _):
    for each in repository.json_lines("qed-dev.jsonlines"):
        text, starts = each["paragraph_text"], each["sentence_starts"]
        sents = [clean(text[start:end]) for start, end in zip(starts, [*starts[1:], len(text)])]
        chosen = each["annotation"].get("selected_sentence")
        gold = [starts.index(chosen["start"])] if chosen and chosen["start"] in starts else []
        if gold or each["annotation"]["explanation_type"] == "none":
            yield {"q": each["question_text"], "title": each["title_text"], "sents": sents, "gold": gold}


def selqa(repository, _):
    for part in ("dev", "test"):
        for each in repository.json(f"ass/selqa-ass-{part}.json"):
            yield {"q": each["question"], "title": each["article"], "sents": each["candidates"], "gold": each["answers"]}


def tydiqa_en(repository, _):
    yield from span_questions(repository.json("data/tydiqa/tydiqa-goldp-v1.1-train/tydiqa.goldp.en.train.json")["data"])


def mlqa_en(repository, _):
    yield from span_questions(repository.json("data/mlqa/MLQA_V1/dev/dev-context-en-question-en.json")["data"])


def hotpotqa(repository, _):
    for each in repository.json("data/hotpotqa_train.json"):
        right = {(title, at) for title, at in each["supporting_facts"]}
        named = [(title, at, clean(s)) for title, sents in each["context"] for at, s in enumerate(sents) if s.strip()]
        gold = [place for place, (title, at, _) in enumerate(named) if (title, at) in right]
        yield {"q": each["question"], "title": "", "sents": [f"{title}: {s}" for title, _, s in named], "gold": gold}


def musique(repository, _):
    for each in repository.json("data/musique_train.json"):
        sents = [f"{p['title']}: {p['paragraph_text']}" for p in each["paragraphs"]]
        gold = [at for at, p in enumerate(each["paragraphs"]) if p["is_supporting"]]
        yield {"q": each["question"], "title": "", "sents": sents, "gold": gold}


def condaqa(repository, _):
    for each in repository.json_lines("data/condaqa_dev.json"):
        if each["PassageEditID"] != 0:
            continue
        sents = sentences_of(each["original passage"])
        gold = containing(sents, [each["original sentence"]])
        if gold and len(sents) > 1:
            yield {"q": each["sentence2"], "title": "", "sents": sents, "gold": gold}


def tatqa_files(repository):
    for name in ("tatqa_dataset_dev.json", "tatqa_dataset_test_gold.json"):
        yield from repository.json(f"dataset_raw/{name}")


def answers_of(answer):
    return [str(each) for each in answer] if isinstance(answer, list) else [str(answer)]


def tatqa_text(repository, _):
    for each in tatqa_files(repository):
        sents = [sentence for paragraph in each["paragraphs"] for sentence in sentences_of(paragraph["text"])]
        for asked in each["questions"]:
            if asked["answer_from"] == "text" and "span" in asked["answer_type"]:
                gold = containing(sents, answers_of(asked["answer"]))
                if gold and len(sents) > 2 and len(gold) <= 3:
                    yield {"q": asked["question"], "title": "", "sents": sents, "gold": gold}


def tatqa_tables(repository, _):
    for each in tatqa_files(repository):
        header, rows = financial_header(each["table"]["table"])
        for asked in each["questions"]:
            if asked["answer_from"] == "text":
                continue
            # Of what is computed, the numbers it is computed from.
            computed = re.findall(r"[\d.,]*\d", str(asked["derivation"])) if asked["answer_type"] == "arithmetic" else []
            wanted = {letters(a) for a in computed or answers_of(asked["answer"])}
            gold_rows = [at for at, row in enumerate(rows) if any(letters(cell) in wanted and letters(cell) for cell in row)]
            if 0 < len(gold_rows) <= 4 and len(rows) > 2:
                yield {"q": asked["question"], "caption": "", "header": header, "rows": rows, "goldRow": gold_rows}


def financial_header(table):
    """The first rows, up to one whose first cell names something, are the header, joined column by column."""
    last = next((at for at, row in enumerate(table) if row[0].strip() and any(c.strip() for c in row[1:])), 1)
    above = table[: max(1, last)]
    header = [clean(" ".join(row[at] for row in above)) for at in range(len(table[0]))]
    return header, table[max(1, last) :]


def wtq(repository, _):
    asked = repository.table("data/training.tsv")
    tables = repository.read_many(sorted({row["context"].replace(".csv", ".tsv") for row in asked}))
    for row in asked:
        content = tables.get(row["context"].replace(".csv", ".tsv"))
        if content is None:
            continue
        header, *rows = [[clean(c.replace("\\n", " ")) for c in line.split("\t")] for line in content.decode().splitlines()]
        wanted = [letters(answer) for answer in row["targetValue"].split("|")]
        gold_rows = [at for at, cells in enumerate(rows) if any(letters(cell) in wanted and letters(cell) for cell in cells)]
        # Where the answer is in many rows, or in none (counts, sums), no row is known to answer.
        if 0 < len(gold_rows) <= max(1, len(wanted)) and len(rows) > 2 and letters(row["targetValue"]):
            yield {"q": row["utterance"], "caption": "", "header": header, "rows": rows, "goldRow": gold_rows}


def fetaqa(repository, _):
    for part in ("dev", "test"):
        for each in repository.json_lines(f"data/fetaQA-v1_{part}.jsonl"):
            header, *rows = each["table_array"]
            gold_rows = sorted({row - 1 for row, _ in each["highlighted_cell_ids"] if row > 0})
            caption = f"{each['table_page_title']}: {each['table_section_title']}"
            if 0 < len(gold_rows) <= 4 and len(rows) > 2:
                yield {"q": each["question"], "caption": caption, "header": header, "rows": rows, "goldRow": gold_rows}


def aitqa(repository, _):
    tables = {table["id"]: table for table in repository.json_lines("raw_data/aitqa_tables.jsonl")}
    for each in repository.json_lines("raw_data/aitqa_questions.jsonl"):
        table = tables[each["table_id"]]
        wanted = {letters(answer) for answer in each["answers"]}
        header = [" ".join(names) for names in table["column_header"]]
        rows, named = table["data"], table["row_header"]
        gold_rows = [at for at, row in enumerate(rows) if any(letters(cell) in wanted and letters(cell) for cell in row)]
        if named:
            header, rows = ["", *header], [[" ".join(name), *row] for name, row in zip(named, rows)]
        if 0 < len(gold_rows) <= 3 and len(rows) > 2:
            yield {"q": each["question"], "caption": "", "header": header, "rows": rows, "goldRow": gold_rows}


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", required=True, help="folder of clones")
    parser.add_argument("--trials", required=True, help="trials of evidence-inference to learn from, a PMC number a line")
    parser.add_argument("--out", required=True, help="folder for NAME.jsonl")
    parser.add_argument("names", nargs="*", help="sets to convert; without any, all")
    return parser.parse_args()


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def main():
    options = read_options()
    with open(SETS, encoding="utf-8") as file:
        sets = json.load(file)
    with open(options.trials, encoding="utf-8") as file:
        trials = set(file.read().split())
    os.makedirs(options.out, exist_ok=True)
    for each in sets:
        name = each["name"]
        if options.names and name not in options.names:
            continue
        convert = globals()[name.replace("-", "_")]
        documents = []
        more = [trials] if name == "evinf" else []
        lines = list(convert(Repository(options.mirrors, each["repository"]), documents, *more))
        write_lines(os.path.join(options.out, f"{name}.jsonl"), lines)
        if documents:
            write_lines(os.path.join(options.out, f"{name}.docs.jsonl"), documents)
        print(f"{name}: {len(lines)} lines, {each['lines']} of them are drawn", flush=True)


if __name__ == "__main__":
    main()
