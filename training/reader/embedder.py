"""Trains the embedder on what prepare.ts wrote: questions near the passages that answer them.

python3 embedder.py --data OUT/data.json --base FOLDER_OF_MINILM --out OUT

Writes OUT/embedder.safetensors. Copy it to models/, then `npm run models` writes the graphs.
"""

import argparse
import json
import os
import random
import time
from typing import NamedTuple

# First: it says what to install.
from encoder import (
    DEVICE,
    SAYS_THE_SAME,
    STARTED,
    Embedder,
    Packed,
    Texts,
    half_precision,
    left_out_papers,
    loaded,
    on_device,
    packed,
    vectors_of,
    whole,
)
from export import quantised, read_weights, with_quantised_weights

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import save_file

# As the program embeds them.
LONGEST_PASSAGE, LONGEST_QUESTION = 256, 128
QUESTIONS_PER_STEP = 192
# Wrong passages of a written question: the nearest of its paper and of all papers, and how many are drawn for a step.
NEAR_IN_PAPER, NEAR_ANYWHERE = 12, 12
DRAWN_IN_PAPER, DRAWN_ANYWHERE = 2, 1
# Wrong passages are looked for again by the embedder itself before these epochs.
MINED_BEFORE_EPOCHS = (2, 4)
# Sentences around the answer that make the passage of a long public document.
AROUND = 4
SHORT_DOCUMENT = 30
TEMPERATURE = 0.05
WARM_UP = 0.04
# Tables are not asked for by their meaning.
TABLES = ("wtq", "tatqa-tables", "fetaqa", "aitqa")
MEASURED_DEPTHS = (10, 48)


class Asked(NamedTuple):
    """A question, and the passages that answer it."""

    question: str
    right: list
    document: str
    wording: str


class Material:
    """All passages and questions as token numbers; those of papers first."""

    def __init__(self, data, texts):
        documents = data["documents"]
        papers = [name for name, document in documents.items() if "passages" in document]
        places = {(name, at): None for name in papers for at in range(len(documents[name]["passages"]))}
        place_of = {key: at for at, key in enumerate(places)}
        self.of_paper = {}
        for (name, _), at in place_of.items():
            self.of_paper.setdefault(name, []).append(at)
        passages = [documents[name]["passages"][at] for name, at in places]
        self.in_papers = len(passages)
        self.own, public, known = [], [], {}
        for each in data["lists"]:
            document = documents[each["document"]]
            if not each["answers"]:
                continue
            if each["set"] == "own":
                if each["weight"] < 1:
                    continue
                right = sorted({place_of[each["document"], document["passageOf"][at]] for at in each["answers"]})
                self.own.append(Asked(each["question"], right, each["document"], each.get("wording", "")))
            elif not each["set"].startswith(TABLES):
                key, text = around(each["document"], document, each["answers"][0])
                if key not in known:
                    known[key] = len(passages)
                    passages.append(text)
                public.append(Asked(each["question"], [known[key]], "", ""))
        self.asked = self.own + public
        texts.learn(passages + [each.question for each in self.asked])
        self.passages = [texts.single([text], LONGEST_PASSAGE) for text in passages]
        self.questions = [texts.single([each.question], LONGEST_QUESTION) for each in self.asked]


def around(name, document, answer):
    """The passage of a public document: all of a short one, of a long one the sentences around the answer."""
    candidates = document["candidates"]
    start, end = 0, len(candidates)
    if end > SHORT_DOCUMENT:
        start, end = max(0, answer - AROUND), answer + AROUND + 1
    parts = [document["title"], " ".join(text for text, _ in candidates[start:end])]
    return (name, start), "\n".join(part for part in parts if part)


def wrong_passages(model, material, learnt, alike):
    """For each learnt question of a paper, the nearest passages that do not answer it: of its paper, and of all."""
    passages = vectors_of(model, material.passages[: material.in_papers])
    asked = vectors_of(model, [material.questions[at] for at in learnt])
    found = {}
    for start in range(0, len(learnt), 512):
        nearness = asked[start : start + 512] @ passages.T
        anywhere = nearness.topk(2 * NEAR_ANYWHERE).indices.tolist()
        for row, at in enumerate(learnt[start : start + 512]):
            question = material.asked[at]
            own = torch.tensor(material.of_paper[question.document], device=DEVICE)
            ordered = own[nearness[row, own].argsort(descending=True)][: 2 * NEAR_IN_PAPER].tolist()
            # A passage that says nearly the same is no wrong one.
            same_as = (alike[ordered] @ alike[question.right].T).amax(1) > SAYS_THE_SAME
            right = set(question.right)
            near = [place for place, is_same in zip(ordered, same_as.tolist()) if place not in right and not is_same]
            far = [place for place in anywhere[row] if place not in right]
            found[at] = (near[:NEAR_IN_PAPER], far[:NEAR_ANYWHERE])
    return found


class Step(NamedTuple):
    """Questions, then passages; `right` is the passage of each question, `hidden` are others that answer it too."""

    rows: Packed
    count: int
    right: torch.Tensor
    hidden: torch.Tensor
    places: torch.Tensor
    asked: torch.Tensor


class Steps(torch.utils.data.Dataset):
    """The steps of an epoch, each made by a seed of its own, whatever process makes it."""

    def __init__(self, material, learnt, wrong, epoch, options):
        self.order = random.Random(1000 * options.seed + epoch).sample(learnt, len(learnt))
        self.material, self.wrong, self.epoch = material, wrong, epoch

    def __len__(self):
        return len(self.order) // QUESTIONS_PER_STEP

    def __getitem__(self, step):
        dice = random.Random(step * 7919 + self.epoch)
        asked = self.order[step * QUESTIONS_PER_STEP : (step + 1) * QUESTIONS_PER_STEP]
        right = [dice.choice(self.material.asked[at].right) for at in asked]
        wrong = []
        for at in asked:
            near, far = self.wrong.get(at, ((), ()))
            wrong += dice.sample(near, min(DRAWN_IN_PAPER, len(near))) + dice.sample(far, min(DRAWN_ANYWHERE, len(far)))
        places = list(dict.fromkeys(right + wrong))
        column = {place: at for at, place in enumerate(places)}
        hidden = torch.zeros((len(asked), len(places)), dtype=torch.bool)
        for row, at in enumerate(asked):
            for place in self.material.asked[at].right:
                if place in column and place != right[row]:
                    hidden[row, column[place]] = True
        rows = [self.material.questions[at] for at in asked] + [self.material.passages[place] for place in places]
        return Step(
            packed([whole(row) for row in rows], LONGEST_PASSAGE),
            len(asked),
            torch.tensor([column[place] for place in right]),
            hidden,
            torch.tensor(places),
            torch.tensor(asked),
        )


def train(model, material, learnt, options):
    started = time.time()
    left_s = options.limit_s - (started - STARTED)
    # What the untrained embedder makes of all texts: the trained one stays near, and does not forget other subjects.
    old_passages, old_questions = vectors_of(model, material.passages), vectors_of(model, material.questions)
    of_papers = [at for at in learnt if material.asked[at].document]
    wrong = wrong_passages(model, material, of_papers, old_passages)
    learning = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=options.rate, weight_decay=0.01, fused=True)
    step = 0
    for epoch in range(options.epochs):
        if epoch in MINED_BEFORE_EPOCHS:
            wrong = wrong_passages(model, material, of_papers, old_passages)
        steps = Steps(material, learnt, wrong, epoch, options)
        total = options.epochs * len(steps)
        model.train()
        losses = []
        for made in loaded(steps, options.workers):
            # The rate falls to nothing at the end of the epochs or of the time, whichever comes first.
            done = max(step / total, (time.time() - started) / left_s)
            if done >= 1:
                print(f"stopped by --limit-s {options.limit_s:.0f} after {step / len(steps):.1f} epochs", flush=True)
                return
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1, (step + 1) / (WARM_UP * total)) * max(0.02, 1 - done)
            with half_precision():
                vectors = model.pooled_of_packed(made.rows.on_device())
            asked, passages = vectors[: made.count], vectors[made.count :]
            nearness = (asked @ passages.T / TEMPERATURE).masked_fill(on_device(made.hidden), -1e4)
            apart = [
                (1 - (new * old[on_device(places)]).sum(-1)).mean()
                for new, old, places in ((asked, old_questions, made.asked), (passages, old_passages, made.places))
            ]
            loss = F.cross_entropy(nearness, on_device(made.right))
            losses.append(torch.stack([loss.detach(), *(each.detach() for each in apart)]))
            loss = loss + options.near * sum(apart)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learning, 1.0)
            optimizer.step()
            step += 1
        means = ", ".join(f"{float(each):.3f}" for each in torch.stack(losses).mean(0))
        print(f"epoch {epoch + 1}, step {step} of {total}, loss and distance {means}, {time.time() - STARTED:.0f} s", flush=True)


def measure(name, model, material, left_out, collections):
    """Prints how often a right passage is among the first of all papers' passages, for papers that were left out."""
    passages = vectors_of(model, material.passages[: material.in_papers])
    for wording in ("paper", "other"):
        asked = [
            (row, each)
            for row, each in zip(material.questions, material.own)
            if each.document in left_out and each.wording == wording
        ]
        if not asked:
            continue
        nearness = vectors_of(model, [row for row, _ in asked]) @ passages.T
        best = torch.stack([nearness[at, each.right].max() for at, (_, each) in enumerate(asked)])
        before = (nearness > best[:, None]).sum(1)
        shares = ", ".join(f"{float((before < depth).float().mean()):.3f} in {depth}" for depth in MEASURED_DEPTHS)
        print(f"{name}: {len(asked)} questions in {wording} words, right passage {shares}", flush=True)
    for folder, (rows, questions, ids, relevant) in collections.items():
        nearest = (vectors_of(model, questions) @ vectors_of(model, rows).T).topk(10).indices.tolist()
        scores = [ndcg([ids[at] for at in found], wanted) for found, wanted in zip(nearest, relevant) if wanted]
        print(f"{name}: {folder} nDCG@10 {np.mean(scores):.4f}", flush=True)


def ndcg(found, relevant):
    gained = sum(relevant.get(each, 0) / np.log2(at + 2) for at, each in enumerate(found))
    best = sorted(relevant.values(), reverse=True)[:10]
    return gained / sum(gain / np.log2(at + 2) for at, gain in enumerate(best))


def read_collections(folder, texts):
    """Collections as `npm run score:retrieval` reads them."""
    found = {}
    for name in sorted(os.listdir(folder)) if folder else []:
        path = os.path.join(folder, name)
        documents, queries = (
            [json.loads(line) for line in open(os.path.join(path, file))] for file in ("corpus.jsonl", "queries.jsonl")
        )
        relevant = {}
        for line in open(os.path.join(path, "qrels.tsv")):
            query, *_, document, gain = line.rstrip("\n").split("\t")
            if gain.replace(".", "").isdigit() and float(gain) > 0:
                relevant.setdefault(query, {})[document] = float(gain)
        id_of = lambda each: str(each.get("_id", each.get("id")))
        rows = [f"{each.get('title', '')} {each.get('text', '')}" for each in documents]
        asked = [each.get("text") or each.get("query") for each in queries]
        texts.learn(rows + asked)
        found[name] = (
            [texts.single([text], LONGEST_PASSAGE) for text in rows],
            [texts.single([text], LONGEST_QUESTION) for text in asked],
            [id_of(each) for each in documents],
            [relevant.get(id_of(each), {}) for each in queries],
        )
    return found


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="data.json of prepare.ts")
    parser.add_argument("--base", required=True, help="folder with tokenizer.json and model.fp16.safetensors")
    parser.add_argument("--out", required=True, help="folder for embedder.safetensors")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--near", type=float, default=1, help="weight of staying near the untrained vectors")
    parser.add_argument("--kept", type=float, default=0.7, help="share of the trained weights; the rest are the untrained")
    parser.add_argument("--collections", default="", help="folder of collections to measure with")
    parser.add_argument("--limit-s", type=float, default=240, help="seconds from the start after which training ends")
    parser.add_argument("--left-out", type=int, default=0, help="papers to measure with instead of learning from them")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = read_options()
    torch.manual_seed(options.seed)
    os.makedirs(options.out, exist_ok=True)
    with open(options.data) as file:
        data = json.load(file)
    texts = Texts(os.path.join(options.base, "tokenizer.json"))
    material = Material(data, texts)
    left_out = left_out_papers(options.left_out)
    learnt = [at for at, each in enumerate(material.asked) if each.document not in left_out]
    collections = read_collections(options.collections, texts)
    used = f"{len(material.passages)} passages, {len(learnt)} questions, {len(left_out)} papers left out"
    print(f"{used}, {time.time() - STARTED:.0f} s on {DEVICE}", flush=True)
    untrained = read_weights(os.path.join(options.base, "model.fp16.safetensors"))
    model = Embedder(untrained).to(DEVICE)
    measure("untrained", model, material, left_out, collections)
    train(model, material, learnt, options)
    old = Embedder(untrained).bert.state_dict()
    mixed = {name: old[name] + options.kept * (new.cpu() - old[name]) for name, new in model.bert.state_dict().items()}
    # Measured as it is shipped.
    weights = quantised(mixed)
    path = os.path.join(options.out, "embedder.safetensors")
    save_file(weights, path)
    print(f"{path}: {os.path.getsize(path)} bytes, {time.time() - STARTED:.0f} s", flush=True)
    model.bert.load_state_dict(with_quantised_weights(model.bert.state_dict(), weights))
    measure("trained", model, material, left_out, collections)


if __name__ == "__main__":
    main()
