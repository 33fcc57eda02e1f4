"""Trains the reader on what prepare.ts wrote: a MiniLM that reads a question with sentences that follow one another.

python3 train.py --data OUT/data.json --base FOLDER_OF_MINILM --out OUT

Writes OUT/reader.safetensors. Copy it to models/, then `npm run models` writes models/reader.onnx.
"""

import argparse
import json
import os
import random
import sys
import time
from dataclasses import dataclass
from typing import NamedTuple

# First: it says what to install.
from encoder import (
    DEVICE,
    DIMENSIONS,
    DROPOUT,
    SAYS_THE_SAME,
    STARTED,
    Embedder,
    Packed,
    Row,
    Texts,
    encoder_of,
    half_precision,
    left_out_papers,
    loaded,
    on_device,
    packed,
    vectors_of,
)
from export import ENCODER, WORDS, quantised, read_weights, with_quantised_weights, without_words

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import save_file

EMBEDDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "embedder.safetensors")

# Input, as src/reader/trained.ts writes it: "question [SEP] title > heading: sentence [SEP] sentence [SEP]", cut at the
# end. The sentences of a window have at most MAX_WINDOW tokens.
MAX_TOKENS, MAX_WINDOW = 384, 288
LONGEST_QUESTION, LONGEST_TITLE, LONGEST_HEADING, LONGEST_TEXT = 400, 160, 80, 1000
# Inputs are laid one after another into lines of this length.
LONGEST_LINE = 512
# What the embedder reads of a question or a sentence, and of a window.
EMBEDDED_TEXT, EMBEDDED_WINDOW = 128, 202

LISTS_PER_STEP = 32
# Windows of a list: with an answer, and without one: half of those from the hardest, then others of the paper, then of
# other papers. Rows of a table are short.
RIGHT_PER_LIST, WRONG_PER_LIST, WRONG_ROWS = 2, 6, 10
HARDEST = 10
# Wrong windows kept of a written question: of its own paper, and of all papers.
NEAR_IN_PAPER, NEAR_ANYWHERE = 40, 32
# Those of the paper are ordered again by the reader itself before these epochs.
MINED_BEFORE_EPOCHS = (1, 3)
# The reader must do without title or heading: some papers have none.
TITLE_LEFT_OUT = HEADING_LEFT_OUT = 0.2
HEAD_RATE = 10
WARM_UP = 0.03
WEIGHT_OF_YES_NO, WEIGHT_OF_YES = 0.5, 3.0
WRONG, RIGHT, SAME = range(3)
# Windows that are scored at once, and the score of a sentence that was cut off.
SCORED_AT_ONCE, UNREAD = 192, -30.0
REPORTED_EVERY = 500


class Windows:
    """The sentences and rows of all documents, as they are read together.

    `candidates` are title, heading and text of each sentence or row of a document, cut as in the program; `places` the
    windows of a document, each the places of its candidates. A window is named by its document and its number.
    """

    def __init__(self, documents, texts):
        self.texts = texts
        self.candidates = {
            name: [(d["title"][:LONGEST_TITLE], h[:LONGEST_HEADING], t[:LONGEST_TEXT]) for t, h in d["candidates"]]
            for name, d in documents.items()
        }
        texts.learn(part for some in self.candidates.values() for candidate in some for part in candidate)
        self.after_title, self.after_heading = texts.of(">"), texts.of(":")
        self.places = {name: self._divided(name, d.get("passageOf")) for name, d in documents.items()}

    def _divided(self, name, passage_of):
        """Sentences of one passage and heading, as far as there is room; each row of a table alone."""
        windows, current, size, last = [], [], 0, None
        for at, (_, heading, text) in enumerate(self.candidates[name]):
            length = len(self.texts.of(text)) + 1
            of = (passage_of and passage_of[at], heading)
            if current and (is_row(text) or of != last or size + length > MAX_WINDOW):
                windows.append(current)
                current, size = [], 0
            if is_row(text):
                windows.append([at])
                continue
            current.append(at)
            size, last = size + length, of
        return [*windows, current] if current else windows

    def of_document(self, document):
        """All windows of a document."""
        return [(document, at) for at in range(len(self.places[document]))]

    def with_places(self, document, places):
        """The windows of a document that have some of its candidates."""
        return [(document, at) for at, window in enumerate(self.places[document]) if not places.isdisjoint(window)]

    def places_of(self, window):
        document, at = window
        return self.places[document][at]

    def sentences_of(self, window):
        return [self.candidates[window[0]][place][2] for place in self.places_of(window)]

    def is_row(self, window):
        return is_row(self.sentences_of(window)[0])

    def row(self, question, window, has_title=True, has_heading=True):
        """A question and a window as an input whose parts are the sentences."""
        texts = self.texts
        title, heading, _ = self.candidates[window[0]][self.places_of(window)[0]]
        shown = (title if has_title else "", heading if has_heading else "")
        above = [part for part in map(texts.of, shown) if len(part) > 0]
        if len(above) == 2:
            above.insert(1, self.after_title)
        if above:
            above.append(self.after_heading)
        ids = [texts.start, texts.of(question[:LONGEST_QUESTION]), texts.between, *above]
        parts = [np.zeros(sum(map(len, ids)), dtype=np.int32)]
        sentences = self.sentences_of(window)
        for at, sentence in enumerate(map(texts.of, sentences)):
            ids += [sentence, texts.between]
            parts += [np.full(len(sentence), at + 1, dtype=np.int32), np.zeros(1, dtype=np.int32)]
        return Row(np.concatenate(ids)[:MAX_TOKENS], np.concatenate(parts)[:MAX_TOKENS], len(sentences))


def is_row(text):
    """Whether a candidate is a row of a table, as src/reader/candidates.ts writes it."""
    return " | " in text


class Reader(nn.Module):
    """The encoder, and a linear head that says of each token how well it answers."""

    def __init__(self, weights):
        super().__init__()
        self.bert = encoder_of(weights)
        self.answer = nn.Linear(DIMENSIONS, 1)
        self.dropout = nn.Dropout(DROPOUT)
        nn.init.normal_(self.answer.weight, std=0.05)

    def forward(self, table):
        """The score of each sentence, the mean of its tokens; and whether any of it was read."""
        states = self.bert(table.ids, table.positions, table.rows)
        logits = self.answer(self.dropout(states))[..., 0].float().flatten()
        parts = table.parts.flatten().long()
        sums = logits.new_zeros(table.count + 1).index_add_(0, parts, logits)
        lengths = logits.new_zeros(table.count + 1).index_add_(0, parts, torch.ones_like(logits))
        return (sums / lengths.clamp(min=1))[1:], lengths[1:] > 0


@dataclass
class Question:
    """A question to a document, and windows with an answer and without.

    `right` are the candidates that answer, `same` those that nearly say what they say: neither right nor wrong. `near`
    are wrong windows of the document, the hardest first, `far` those of other documents.
    """

    text: str
    document: str
    right: set
    same: set
    answering: list
    near: list
    far: list
    weight: float
    own: bool


def own_questions(lists, windows, embedder):
    """Written questions. Wrong windows are those that the embedder finds nearest."""
    single = windows.texts.single
    papers = sorted({each["document"] for each in lists})
    keys = [window for paper in papers for window in windows.of_document(paper)]
    vectors = vectors_of(embedder, [single(windows.sentences_of(key), EMBEDDED_WINDOW) for key in keys])
    asked = vectors_of(embedder, [single([each["question"]], EMBEDDED_TEXT) for each in lists])
    start_of = {paper: at for at, (paper, number) in enumerate(keys) if number == 0}
    of_paper = {}
    for at, each in enumerate(lists):
        of_paper.setdefault(each["document"], []).append(at)
    questions = []
    for paper, places in of_paper.items():
        if paper not in start_of:
            continue
        own = slice(start_of[paper], start_of[paper] + len(windows.places[paper]))
        nearness = asked[places] @ vectors.T
        inside = nearness[:, own].argsort(descending=True)[:, :NEAR_IN_PAPER].tolist()
        anywhere = nearness.topk(min(NEAR_ANYWHERE, len(keys))).indices.tolist()
        sentences = [text for *_, text in windows.candidates[paper]]
        of_sentences = vectors_of(embedder, [single([text], EMBEDDED_TEXT) for text in sentences])
        alike = (of_sentences @ of_sentences.T > SAYS_THE_SAME).cpu().numpy()
        # Rows of a table are alike, whatever they say.
        alike[:, [is_row(text) for text in sentences]] = False
        for at, near_inside, near_anywhere in zip(places, inside, anywhere):
            each = lists[at]
            right = set(each["answers"])
            same = set(alike[sorted(right)].any(0).nonzero()[0].tolist()) - right
            answering = windows.with_places(paper, right)
            # What looks most like an answer to a question that has none comes first.
            named = [window for place in each.get("near", []) for window in windows.with_places(paper, {place})]
            near = dict.fromkeys([*named, *((paper, number) for number in near_inside)])
            near = [window for window in near if window not in answering]
            # A column is asked of every paper: what other papers say of it is no wrong answer.
            far = [keys[other] for other in near_anywhere if keys[other][0] != paper] if each["weight"] == 1 else []
            questions.append(Question(each["question"], paper, right, same, answering, near, far, each["weight"], True))
    return questions


def public_questions(lists, windows):
    """Public questions; wrong windows are the other ones of their document."""
    questions = []
    for each in lists:
        document, right = each["document"], set(each["answers"])
        answering = windows.with_places(document, right)
        near = [window for window in windows.of_document(document) if window not in answering]
        questions.append(Question(each["question"], document, right, set(), answering, near, [], each["weight"], False))
    return questions


class Step(NamedTuple):
    """Windows; of each of their sentences what it is (`labels`) and of which list; and the weights of the lists."""

    rows: Packed
    labels: torch.Tensor
    lists: torch.Tensor
    weights: torch.Tensor


class Steps(torch.utils.data.Dataset):
    """The steps of an epoch, each made by a seed of its own, whatever process makes it."""

    def __init__(self, questions, windows, epoch, options):
        shuffle = random.Random(1000 * options.seed + epoch)
        self.questions = []
        for each in questions:
            times = options.own if each.own else options.public
            self.questions += [each] * (int(times) + (shuffle.random() < times - int(times)))
        shuffle.shuffle(self.questions)
        self.elsewhere = [each.near[0] for each in questions if each.near and not each.own]
        self.windows, self.epoch, self.seed = windows, epoch, options.seed

    def __len__(self):
        return len(self.questions) // LISTS_PER_STEP

    def __getitem__(self, step):
        dice = random.Random(step * 7919 + self.epoch + 131 * self.seed)
        rows, labels, lists, weights = [], [], [], []
        for question in self.questions[step * LISTS_PER_STEP : (step + 1) * LISTS_PER_STEP]:
            right = dice.sample(question.answering, min(RIGHT_PER_LIST, len(question.answering)))
            for window in right + self.wrong_of(question, dice):
                has_title, has_heading = dice.random() >= TITLE_LEFT_OUT, dice.random() >= HEADING_LEFT_OUT
                rows.append(self.windows.row(question.text, window, has_title, has_heading))
                labels += labels_of(question, window[0], self.windows.places_of(window))
                lists += [len(weights)] * rows[-1].count
            weights.append(question.weight)
        made = packed(rows, LONGEST_LINE)
        return Step(made, torch.tensor(labels), torch.tensor(lists), torch.tensor(weights, dtype=torch.float32))

    def wrong_of(self, question, dice):
        most = WRONG_PER_LIST + (0 if question.answering else 1)
        if question.own:
            hardest, others = question.near[:HARDEST], question.near[HARDEST:]
            wrong = dice.sample(hardest, min((most + 1) // 2, len(hardest)))
            wrong += dice.sample(others, min(most // 4 + 1, len(others)))
            return wrong + dice.sample(question.far, min(max(0, most - len(wrong)), len(question.far)))
        if question.near and self.windows.is_row(question.near[0]):
            return dice.sample(question.near, min(WRONG_ROWS, len(question.near)))
        # A short passage has few other windows: one of elsewhere.
        wrong = dice.sample(question.near, min(most, len(question.near)))
        return wrong + ([dice.choice(self.elsewhere)] if self.elsewhere else [])


def labels_of(question, document, places):
    if document != question.document:
        return [WRONG] * len(places)
    return [RIGHT if place in question.right else SAME if place in question.same else WRONG for place in places]


def answer_loss(scores, is_read, step):
    """All right sentences of a list before the others, or "none", whose score is 0, before all; and each, yes or no."""
    labels, lists, weights = on_device(step.labels), on_device(step.lists), on_device(step.weights)
    used = is_read & (labels != SAME)
    right = used & (labels == RIGHT)
    has_right = torch.zeros_like(weights).index_add_(0, lists, right.float()) > 0
    everything = log_sums(scores, used, lists, torch.zeros_like(weights))
    answers = log_sums(scores, right, lists, torch.full_like(weights, -1e4))
    ranked = torch.where(has_right, everything - answers, everything)
    yes = torch.full((), WEIGHT_OF_YES, device=scores.device)
    each = F.binary_cross_entropy_with_logits(scores, right.float(), pos_weight=yes, reduction="none")
    return (ranked * weights).mean() + WEIGHT_OF_YES_NO * (each * used).sum() / used.sum().clamp(min=1)


def log_sums(scores, used, lists, none):
    """Of each list the logarithm of the sum of the powers of its used scores and of `none`, as torch.logsumexp."""
    scores = scores.masked_fill(~used, -1e4)
    top = none.scatter_reduce(0, lists, scores.detach(), "amax")
    sums = torch.exp(none - top).index_add(0, lists, torch.exp(scores - top[lists]) * used)
    return top + torch.log(sums)


class Asked(torch.utils.data.Dataset):
    """Questions, each with a window, some at once."""

    def __init__(self, asked, windows):
        self.asked, self.windows = asked, windows

    def __len__(self):
        return -(-len(self.asked) // SCORED_AT_ONCE)

    def __getitem__(self, at):
        some = self.asked[at * SCORED_AT_ONCE : (at + 1) * SCORED_AT_ONCE]
        return packed([self.windows.row(*each) for each in some], LONGEST_LINE)


@torch.no_grad()
def scores_of(model, asked, windows, options):
    """The scores of each window's sentences for its question."""
    model.eval()
    found = []
    for rows in loaded(Asked(asked, windows), options.workers):
        with half_precision():
            scores, is_read = model(rows.on_device())
        found.append(scores.float().masked_fill(~is_read, UNREAD))
    edges = np.cumsum([len(windows.places_of(window)) for _, window in asked])
    return np.split(torch.cat(found).cpu().numpy(), edges[:-1]) if asked else []


def mine(model, questions, windows, options):
    """Puts the wrong windows first in which the reader now takes a sentence for an answer."""
    own = [each for each in questions if each.own]
    asked = [(each.text, window) for each in own for window in each.near[: options.mined]]
    scores = iter(scores_of(model, asked, windows, options))
    for each in own:
        # A sentence that says what an answer says is no wrong one.
        hardness = {
            window: max(
                (score for score, place in zip(next(scores), windows.places_of(window)) if place not in each.same),
                default=-np.inf,
            )
            for window in each.near[: options.mined]
        }
        each.near[: options.mined] = sorted(hardness, key=hardness.get, reverse=True)
    print(f"{len(asked)} windows mined, {time.time() - STARTED:.0f} s", flush=True)


def train(model, questions, windows, options, measure_now):
    started = time.time()
    left_s = options.limit_s - (started - STARTED)
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    encoder = [p for name, p in named if name.startswith(ENCODER)]
    head = [p for name, p in named if not name.startswith(ENCODER)]
    rates = (options.rate, options.rate * HEAD_RATE)
    optimizer = torch.optim.AdamW([{"params": encoder}, {"params": head}], weight_decay=0.01, fused=True)
    step = 0
    for epoch in range(options.epochs):
        if epoch in MINED_BEFORE_EPOCHS:
            mine(model, questions, windows, options)
        steps = Steps(questions, windows, epoch, options)
        total = options.epochs * len(steps)
        if total == 0:
            sys.exit("too few questions for one step")
        model.train()
        losses = []
        for made in loaded(steps, options.workers):
            # The rate falls to nothing at the end of the epochs or of the time, whichever comes first.
            done = max(step / total, (time.time() - started) / left_s)
            if done >= 1:
                print(f"stopped by --limit-s {options.limit_s:.0f} after {step} of {total} steps", flush=True)
                return
            factor = min(1, (step + 1) / (WARM_UP * total)) * max(0.02, 1 - done)
            for group, rate in zip(optimizer.param_groups, rates):
                group["lr"] = rate * factor
            with half_precision():
                scores, is_read = model(made.rows.on_device())
            loss = answer_loss(scores, is_read, made)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(encoder + head, 1.0)
            optimizer.step()
            losses.append(loss.detach())
            step += 1
            if step % REPORTED_EVERY == 0:
                mean = float(torch.stack(losses[-REPORTED_EVERY:]).mean())
                print(f"step {step} of {total}, loss {mean:.3f}, {time.time() - STARTED:.0f} s", flush=True)
        measure_now(f"epoch {epoch + 1}")


def area_under_curve(answered, absent):
    """How often a question that has an answer has a higher best score than one that has none."""
    wins = [(one > other) + 0.5 * (one == other) for one in answered for other in absent]
    return float(np.mean(wins))


def measure(name, model, lists, windows, options):
    """Prints how the reader does on papers it has not seen, every sentence and row of them read."""
    asked = [(each["question"], window) for each in lists for window in windows.of_document(each["document"])]
    scores = iter(scores_of(model, asked, windows, options))
    shares = {"paper": [], "other": []}
    answered, absent = [], []
    for each in lists:
        # Windows are in the order of the candidates.
        own = np.concatenate([next(scores) for _ in windows.places[each["document"]]])
        right = set(each["answers"])
        (answered if right else absent).append(float(own.max()))
        if right:
            best = np.argsort(-own)[:3].tolist()
            shares[each["wording"]].append((best[0] in right, not right.isdisjoint(best)))
    for wording, found in shares.items():
        if found:
            first, three = np.mean(found, 0)
            words = "the paper's words" if wording == "paper" else "other words"
            print(f"{name}: {len(found)} questions in {words}, first {first:.3f}, among three {three:.3f}", flush=True)
    if absent and answered:
        refused = np.mean(np.array(absent) < np.quantile(answered, 0.1))
        area = area_under_curve(answered, absent)
        says = f"{refused:.3f} refused where .9 of the others are answered, area {area:.3f}"
        print(f"{name}: {len(absent)} absent ones, {says}", flush=True)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="data.json of prepare.ts")
    parser.add_argument("--base", required=True, help="folder with tokenizer.json and model.fp16.safetensors")
    parser.add_argument("--start", help="weights whose encoder is trained further; without it, the base is trained")
    parser.add_argument("--embedder", default=EMBEDDER, help="weights that find wrong windows")
    parser.add_argument("--out", required=True, help="folder for reader.safetensors")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=8e-5, help=f"of the encoder; the head's is {HEAD_RATE} times it")
    parser.add_argument("--own", type=float, default=1.5, help="how often an epoch has each written question")
    parser.add_argument("--public", type=float, default=0.7, help="how often an epoch has each public question")
    parser.add_argument("--mined", type=int, default=16, help="wrong windows of a question that the reader orders")
    parser.add_argument("--limit-s", type=float, default=545, help="seconds from the start after which training ends")
    parser.add_argument("--left-out", type=int, default=48, help="papers to measure with instead of learning from them")
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
    texts.learn(each["question"] for each in data["lists"])
    windows = Windows(data["documents"], texts)
    print(f"{len(texts.known)} texts read after {time.time() - STARTED:.0f} s on {DEVICE}", flush=True)
    left_out = left_out_papers(options.left_out)
    own = [each for each in data["lists"] if each["set"] == "own"]
    embedder = Embedder(read_weights(options.embedder)).to(DEVICE)
    questions = own_questions([each for each in own if each["document"] not in left_out], windows, embedder)
    questions += public_questions([each for each in data["lists"] if each["set"] != "own"], windows)
    measured = [each for each in own if each["document"] in left_out and each["weight"] == 1]
    measured = [each for each in measured if windows.places[each["document"]]]
    used = f"{len(questions)} questions, {sum(map(len, windows.places.values()))} windows"
    left = f"{len({each['document'] for each in measured})} papers left out"
    print(f"{used}, {left}, {time.time() - STARTED:.0f} s", flush=True)
    base = os.path.join(options.base, "model.fp16.safetensors")
    start = read_weights(options.start or base)
    # A reader that was shipped has no words of its own.
    start.setdefault(WORDS, read_weights(options.embedder)[WORDS])
    model = Reader(start).to(DEVICE)
    train(model, questions, windows, options, lambda name: measure(name, model, measured, windows, options))
    # Measured as it is shipped: the words, which stayed as they were, are those of the embedder.
    weights = without_words(quantised(model.state_dict()))
    path = os.path.join(options.out, "reader.safetensors")
    save_file(weights, path)
    print(f"{path}: {os.path.getsize(path)} bytes, {time.time() - STARTED:.0f} s", flush=True)
    model.load_state_dict(with_quantised_weights(model.state_dict(), weights))
    measure("rounded", model, measured, windows, options)


if __name__ == "__main__":
    main()
