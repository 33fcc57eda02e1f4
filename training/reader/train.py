"""Trains the reader on what prepare.ts wrote: a MiniLM that reads a question and a candidate together.

python3 train.py --data OUT/data.json --base FOLDER_OF_MINILM --out OUT

Writes OUT/reader.safetensors. Copy it to models/, then `npm run models` writes models/reader.onnx.
"""

import argparse
import bisect
import json
import os
import random
import sys
import time
from dataclasses import dataclass
from typing import NamedTuple

try:
    import numpy as np
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    from safetensors.torch import load_file, save_file
    from tokenizers import Tokenizer
except ImportError as missing:
    sys.exit(f"{missing}: install what training needs with `pip install -r training/reader/requirements.txt`")

from export import quantised, read_weights, with_quantised_weights

# Input, as src/reader/trained.ts writes it: "question [SEP] title > heading: text", cut at the end.
MAX_TOKENS = 160
LONGEST_QUESTION, LONGEST_TITLE, LONGEST_HEADING, LONGEST_TEXT = 400, 160, 80, 1000
VOCABULARY, POSITIONS, LAYERS, HEADS, DIMENSIONS, INNER = 30522, 512, 6, 12, 384, 1536
DROPOUT = 0.1
# The pooled vector has length 1; the heads learn faster from a longer one. trained.ts scales by the same.
SCALE = 4

LISTS_PER_STEP = 32
# Candidates of a list that do not answer: two thirds of them from the hardest, the rest from all.
WRONG_PER_LIST = 12
HARDEST = 30
# Wrong candidates kept of a written question: of its own paper, and of all papers.
NEAR_IN_PAPER, NEAR_ANYWHERE = 40, 24
# A sentence of the same paper this near to one that answers says the same, and is no wrong answer.
SAYS_THE_SAME = 0.9
# How many of them are ordered again by the reader itself before these epochs.
MINED, MINED_BEFORE_EPOCHS = 40, (1, 3)
# The reader must do without title or heading: some papers have none.
TITLE_LEFT_OUT = HEADING_LEFT_OUT = 0.2
MOST_PAIRS_PER_STEP = 48
PAIRS_REPEATED = 2
HEAD_RATE, STARTED_HEAD_RATE = 20, 4
WARM_UP = 0.04
WEIGHT_OF_YES_NO, WEIGHT_OF_SUPPORT, WEIGHT_OF_TEACHERS = 0.5, 0.7, 1
SUPPORTS, CONTRADICTS, UNRELATED, NOT = range(4)
LABELS = {"supports": SUPPORTS, "contradicts": CONTRADICTS, "neutral": UNRELATED, "not": NOT}
REPORTED_EVERY = 500
STARTED = time.time()
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# It would make a plan for each shape.
torch.backends.cuda.enable_cudnn_sdp(False)


class Texts:
    """Turns texts into token numbers, each text once: the same sentences are read in many lists."""

    def __init__(self, file):
        self.tokenizer = Tokenizer.from_file(file)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.known = {}
        self.start, self.between = (
            np.array([self.tokenizer.token_to_id(mark)], dtype=np.int32) for mark in ("[CLS]", "[SEP]")
        )
        self.after_title, self.after_heading = self.of(">"), self.of(":")

    def learn(self, texts, at_once=20_000):
        """Tokenizes many texts on all cores."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        for at in range(0, len(new), at_once):
            part = new[at : at + at_once]
            for text, found in zip(part, self.tokenizer.encode_batch(part, add_special_tokens=False)):
                self.known[text] = np.array(found.ids, dtype=np.int32)

    def of(self, text):
        ids = self.known.get(text)
        if ids is None:
            found = self.tokenizer.encode(text, add_special_tokens=False).ids
            ids = self.known[text] = np.array(found, dtype=np.int32)
        return ids

    def pair(self, first, candidate):
        """Token numbers of a question and a candidate. WordPiece cuts at spaces and signs: parts can be joined."""
        title, heading, text = candidate
        above = [part for part in (self.of(title), self.of(heading)) if len(part)]
        if len(above) == 2:
            above.insert(1, self.after_title)
        if above:
            above.append(self.after_heading)
        row = np.concatenate([self.start, self.of(first[:LONGEST_QUESTION]), self.between, *above, self.of(text)])
        return np.concatenate([row[: MAX_TOKENS - 1], self.between])

    def single(self, text):
        return np.concatenate([self.start, self.of(text)[:126], self.between])


def padded(rows):
    """A table of token numbers; 0 is padding."""
    longest = max(map(len, rows), default=1)
    table = np.zeros((len(rows), longest + -longest % 8), dtype=np.int32)
    for at, row in enumerate(rows):
        table[at, : len(row)] = row
    return torch.from_numpy(table)


class Packed(NamedTuple):
    """Rows laid one after another into lines of the same length: hardly any of it is padding, whatever their lengths.

    Of each token: `ids`, `positions` in its row, and which of the `count` rows it is of, from 1; 0 is padding.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    rows: torch.Tensor
    count: int

    def on_device(self):
        return Packed(on_device(self.ids), on_device(self.positions), on_device(self.rows), self.count)


def packed(rows, longest=MAX_TOKENS):
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    lengths = [len(rows[at]) for at in order]
    lines = []
    while order:
        line, room = [], longest
        # The longest row that still fits.
        while (fitting := bisect.bisect_right(lengths, room)) > 0:
            line.append(order.pop(fitting - 1))
            room -= lengths.pop(fitting - 1)
        lines.append(line)
    tables = [np.zeros((len(lines), longest), dtype=np.int32) for _ in range(3)]
    for at, line in enumerate(lines):
        start = 0
        for row in line:
            end = start + len(rows[row])
            for table, values in zip(tables, (rows[row], np.arange(end - start), row + 1)):
                table[at, start:end] = values
            start = end
    return Packed(*map(torch.from_numpy, tables), len(rows))


def on_device(tensor):
    return tensor.to(DEVICE, non_blocking=True)


def half_precision():
    return torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda")


class Block(nn.Module):
    """A layer of BERT; parts are named as in its weights files."""

    def __init__(self):
        super().__init__()
        wide, norm = (lambda: nn.Linear(DIMENSIONS, DIMENSIONS)), (lambda: nn.LayerNorm(DIMENSIONS, eps=1e-12))
        self.attention = nn.ModuleDict(
            {
                "self": nn.ModuleDict({"query": wide(), "key": wide(), "value": wide()}),
                "output": nn.ModuleDict({"dense": wide(), "LayerNorm": norm()}),
            }
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(DIMENSIONS, INNER)})
        self.output = nn.ModuleDict({"dense": nn.Linear(INNER, DIMENSIONS), "LayerNorm": norm()})

    def forward(self, states, mask):
        rows, length, _ = states.shape
        asking, result = self.attention["self"], self.attention["output"]
        parts = [
            asking[name](states).view(rows, length, HEADS, -1).transpose(1, 2) for name in ("query", "key", "value")
        ]
        dropout = DROPOUT if self.training else 0.0
        mask = mask.to(parts[0].dtype).expand(-1, -1, length, -1)
        seen = F.scaled_dot_product_attention(*parts, attn_mask=mask, dropout_p=dropout)
        seen = result["dense"](seen.transpose(1, 2).reshape(rows, length, DIMENSIONS))
        states = result["LayerNorm"](states + F.dropout(seen, DROPOUT, self.training))
        more = self.output["dense"](F.gelu(self.intermediate["dense"](states)))
        return self.output["LayerNorm"](states + F.dropout(more, DROPOUT, self.training))


class Encoder(nn.Module):
    """BERT without its pooler: vectors of all tokens."""

    def __init__(self):
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(VOCABULARY, DIMENSIONS),
                "position_embeddings": nn.Embedding(POSITIONS, DIMENSIONS),
                "token_type_embeddings": nn.Embedding(2, DIMENSIONS),
                "LayerNorm": nn.LayerNorm(DIMENSIONS, eps=1e-12),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Block() for _ in range(LAYERS))})

    def forward(self, ids, positions=None, rows=None):
        """Of padded rows, or of packed ones: then a token sees those of its own row."""
        found = self.embeddings
        places = found["position_embeddings"].weight
        placed = places[: ids.shape[1]] if positions is None else F.embedding(positions, places)
        states = found["word_embeddings"](ids) + placed
        states = found["LayerNorm"](states + found["token_type_embeddings"].weight[0])
        states = F.dropout(states, DROPOUT, self.training)
        unseen = (ids == 0)[:, None, :] if rows is None else rows[:, :, None] != rows[:, None, :]
        mask = (unseen * -1e4)[:, None]
        for block in self.encoder["layer"]:
            states = block(states, mask)
        return states


class Reader(nn.Module):
    """The encoder with mean pooling, as for embeddings, and two linear heads."""

    def __init__(self, weights):
        super().__init__()
        self.bert = Encoder()
        self.answer = nn.Linear(DIMENSIONS, 1)
        self.support = nn.Linear(DIMENSIONS, 3)
        self.dropout = nn.Dropout(DROPOUT)
        for head in (self.answer, self.support):
            nn.init.normal_(head.weight, std=0.5)
        missing = self.load_state_dict(weights, strict=False).missing_keys
        missing = [name for name in missing if name.startswith("bert.")]
        if missing:
            sys.exit(f"no weights for {', '.join(missing[:3])}")
        # Words are seen too rarely here to learn them anew.
        self.bert.embeddings["word_embeddings"].weight.requires_grad = False

    def pooled(self, ids):
        states = self.bert(ids).float()
        weights = (ids != 0)[:, :, None].float()
        return F.normalize((states * weights).sum(1) / weights.sum(1), dim=-1) * SCALE

    def pooled_of_packed(self, table):
        states = self.bert(table.ids, table.positions, table.rows).float()
        sums = states.new_zeros(table.count + 1, DIMENSIONS).index_add(0, table.rows.flatten(), states.flatten(0, 1))
        # Of length 1 in any case: a sum serves as a mean.
        return F.normalize(sums[1:], dim=-1) * SCALE

    def forward(self, table):
        """Both heads' numbers of padded or packed rows."""
        vectors = self.dropout(self.pooled_of_packed(table) if isinstance(table, Packed) else self.pooled(table))
        return self.answer(vectors)[:, 0], self.support(vectors)


@torch.no_grad()
def batched(rows, read, tokens=150_000):
    """Results of `read` for token rows; rows of similar length are read together."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    found, places, start = [], [], 0
    with half_precision():
        while start < len(order):
            length = max(8, len(rows[order[min(len(order) - 1, start + tokens // 100)]]))
            part = order[start : start + max(1, tokens // length)]
            found.append(read(on_device(padded([rows[at] for at in part]))).float())
            places += part
            start += len(part)
    if not found:
        return np.zeros(0, dtype=np.float32)
    all_found = torch.cat(found).cpu().numpy()
    result = np.empty_like(all_found)
    result[places] = all_found
    return result


def answer_scores(model, rows):
    model.eval()
    return batched(rows, lambda ids: model(ids)[0])


def support_shares(model, rows):
    """How likely each quote supports its claim."""
    model.eval()
    return batched(rows, lambda ids: F.softmax(model(ids)[1].float(), -1)[:, 0])


def vectors_of(model, rows):
    model.eval()
    return torch.from_numpy(batched(rows, model.pooled) / SCALE).to(DEVICE)


@dataclass
class Question:
    """A question with candidates that answer it and others that do not, the hardest first; (document, place) each."""

    text: str
    right: list
    wrong: list
    weight: float
    own: bool


def candidates_of(documents):
    """Title, heading and text of each candidate, cut as in the program."""
    return {
        name: [(d["title"][:LONGEST_TITLE], h[:LONGEST_HEADING], t[:LONGEST_TEXT]) for t, h in d["candidates"]]
        for name, d in documents.items()
    }


def own_questions(lists, candidates, texts, base):
    """Written questions. Wrong candidates are those that the untrained encoder finds nearest."""
    model = Reader(read_weights(base)).to(DEVICE)
    papers = sorted({each["document"] for each in lists})
    keys = [(paper, at) for paper in papers for at in range(len(candidates[paper]))]
    place_of = {key: at for at, key in enumerate(keys)}
    vectors = vectors_of(model, [texts.single(candidates[paper][at][2]) for paper, at in keys])
    asked = vectors_of(model, [texts.single(each["question"]) for each in lists])
    of_paper = {}
    for at, each in enumerate(lists):
        of_paper.setdefault(each["document"], []).append(at)
    questions = [None] * len(lists)
    for document, places in of_paper.items():
        size = len(candidates[document])
        start = place_of[document, 0] if size else 0
        nearness = asked[places] @ vectors.T
        inside = nearness[:, start : start + size].argsort(descending=True)[:, : 2 * NEAR_IN_PAPER].add(start).tolist()
        anywhere = nearness.topk(min(2 * NEAR_ANYWHERE, len(keys))).indices.tolist()
        alike = (vectors[start : start + size] @ vectors[start : start + size].T > SAYS_THE_SAME).cpu().numpy()
        for at, near_inside, near_anywhere in zip(places, inside, anywhere):
            each = lists[at]
            answers = each["answers"]
            near = [start + at for at in each.get("near", [])] + near_inside[: NEAR_IN_PAPER + len(answers)]
            # A column is asked of every paper: what other papers say of it is no wrong answer.
            if each["weight"] == 1:
                near += near_anywhere[: NEAR_ANYWHERE + len(answers)]
            right = {(document, place) for place in answers}
            same = alike[answers].any(0).nonzero()[0].tolist() if answers else []
            # Rows of a table are alike, whatever they say.
            same = {(document, place) for place in same if " | " not in candidates[document][place][2]}
            wrong = [keys[at] for at in dict.fromkeys(near) if keys[at] not in right and keys[at] not in same]
            questions[at] = Question(each["question"], sorted(right), wrong, each["weight"], True)
    return questions


def public_questions(lists, candidates):
    """Public questions; wrong candidates are the other ones of their document."""
    questions = []
    for each in lists:
        document, right = each["document"], set(each["answers"])
        wrong = [(document, at) for at in range(len(candidates[document])) if at not in right]
        answers = [(document, at) for at in sorted(right)]
        questions.append(Question(each["question"], answers, wrong, each["weight"], False))
    return questions


class Steps(torch.utils.data.Dataset):
    """The steps of an epoch, each made by a seed of its own, whatever process makes it."""

    def __init__(self, questions, pairs, candidates, texts, epoch, options):
        shuffle = random.Random(1000 * options.seed + epoch)
        self.questions = [each for each in questions for _ in range(options.own if each.own else 1)]
        shuffle.shuffle(self.questions)
        self.pairs = [p for p in pairs if p["set"] == "own"] * PAIRS_REPEATED + [p for p in pairs if p["set"] != "own"]
        shuffle.shuffle(self.pairs)
        self.elsewhere = [each.wrong[0] for each in questions if each.wrong and not each.own]
        self.candidates, self.texts, self.epoch = candidates, texts, epoch
        self.pairs_per_step = min(MOST_PAIRS_PER_STEP, max(1, len(self.pairs) // max(1, len(self))))

    def __len__(self):
        return len(self.questions) // LISTS_PER_STEP

    def __getitem__(self, step):
        dice = random.Random(step * 7919 + self.epoch)
        rows, lists = [], []
        for question in self.questions[step * LISTS_PER_STEP : (step + 1) * LISTS_PER_STEP]:
            right = [dice.choice(question.right)] if question.right else []
            wrong = self.wrong_of(question, dice)
            if not right and not wrong:
                continue
            lists.append((len(rows), len(right), len(wrong), question.weight))
            rows += [self.texts.pair(question.text, self.shown(key, dice)) for key in right + wrong]
        pair_rows, labels = self.support_pairs(step, dice)
        return Step(packed(rows + pair_rows), *answers_of(lists, len(rows)), torch.tensor(labels, dtype=torch.long))

    def wrong_of(self, question, dice):
        wrong = question.wrong
        if question.own and len(wrong) > WRONG_PER_LIST:
            hard = WRONG_PER_LIST * 2 // 3
            hardest = wrong[:HARDEST]
            drawn = dice.sample(hardest, min(hard, len(hardest))) + dice.sample(wrong, WRONG_PER_LIST - hard)
            return list(dict.fromkeys(drawn))
        if question.own:
            return wrong
        # A short passage has few other sentences: two of elsewhere.
        drawn = dice.sample(wrong, min(WRONG_PER_LIST - 2, len(wrong)))
        return drawn + dice.sample(self.elsewhere, min(2, len(self.elsewhere)))

    def shown(self, key, dice):
        document, at = key
        title, heading, text = self.candidates[document][at]
        without_title, without_heading = dice.random() < TITLE_LEFT_OUT, dice.random() < HEADING_LEFT_OUT
        return ("" if without_title else title, "" if without_heading else heading, text)

    def support_pairs(self, step, dice):
        rows, labels = [], []
        for pair in self.pairs[step * self.pairs_per_step : (step + 1) * self.pairs_per_step]:
            rows.append(self.texts.pair(pair["claim"], ("", "", pair["quote"])))
            labels.append(LABELS[pair["label"]])
            # Written claims have no unrelated quotes: another sentence of the paper is one.
            if pair["set"] == "own" and pair["label"] == "supports" and dice.random() < 0.5:
                other = dice.choice(self.candidates[pair["document"]])[2]
                rows.append(self.texts.pair(pair["claim"], ("", "", other)))
                labels.append(UNRELATED)
        return rows, labels


class Step(NamedTuple):
    """Rows of lists, then of claims, with what is asked of them.

    `lists` has the rows of each list, 0 for none and 1 for the first row.
    """

    rows: Packed
    lists: torch.Tensor
    first: torch.Tensor
    weights: torch.Tensor
    answers: torch.Tensor
    labels: torch.Tensor


def answers_of(lists, rows):
    """The lists as tensors; a list is its place of the first row, right and wrong ones, weight."""
    table = torch.zeros((len(lists), max(right + wrong for _, right, wrong, _ in lists)), dtype=torch.long)
    answers = torch.zeros(rows)
    for at, (start, right, wrong, _) in enumerate(lists):
        table[at, : right + wrong] = torch.arange(start, start + right + wrong) + 1
        answers[start : start + right] = 1
    first = torch.tensor([min(1, right) for _, right, _, _ in lists])
    return table, first, torch.tensor([weight for *_, weight in lists]), answers


def read_step(model, rows, lists):
    """Scores of the lists' rows, and the support of the claims, which follow them."""
    scores, support = model(rows)
    return scores[:lists].float(), support[lists:].float()


def table_of(scores, lists):
    """The scores of each list, after that of "none", which is 0."""
    table = F.pad(scores, (1, 0))[lists].masked_fill(lists == 0, -1e4)
    return F.pad(table, (1, 0))


def answer_loss(scores, step):
    """The right candidate before the others, or "none" before all; and each by itself, yes or no."""
    lists, weights = on_device(step.lists), on_device(step.weights)
    ranked = F.cross_entropy(table_of(scores, lists), on_device(step.first), reduction="none")
    each = F.binary_cross_entropy_with_logits(
        scores, on_device(step.answers), pos_weight=torch.full((), 3.0, device=scores.device)
    )
    return (ranked * weights).mean() + WEIGHT_OF_YES_NO * each


def teacher_loss(scores, taught, step):
    """How far the shares of each list's candidates are from those by the mean of the teachers' scores."""
    lists = on_device(step.lists)
    shares = F.log_softmax(table_of(scores, lists), -1)
    return F.kl_div(shares, F.softmax(table_of(taught, lists), -1), reduction="batchmean")


def support_loss(logits, labels):
    """Of `not` it is only known that it is not `supports`: contradicts and unrelated are both right."""
    labels = on_device(labels)
    shares = F.log_softmax(logits, -1)
    exact = -shares.gather(1, labels.clamp(max=UNRELATED)[:, None])[:, 0]
    not_supported = -torch.log1p(-shares[:, SUPPORTS].exp().clamp(max=0.999))
    return torch.where(labels < NOT, exact, not_supported).mean()


def mine(model, questions, candidates, texts):
    """Puts the wrong candidates first that the reader now takes for answers."""
    own = [each for each in questions if each.own]
    rows = [texts.pair(each.text, candidates[d][at]) for each in own for d, at in each.wrong[:MINED]]
    scores = iter(answer_scores(model, rows))
    for each in own:
        scored = [(next(scores), key) for key in each.wrong[:MINED]]
        each.wrong[:MINED] = [key for _, key in sorted(scored, key=lambda pair: -pair[0])]


def train(model, questions, pairs, candidates, texts, options):
    started = time.time()
    left_s = options.limit_s - (started - STARTED)
    # A reader that was trained before has heads, and can tell at once what is hard.
    rates = (options.rate, options.rate * (STARTED_HEAD_RATE if options.start else HEAD_RATE))
    mined_before = (0, *MINED_BEFORE_EPOCHS) if options.start else MINED_BEFORE_EPOCHS
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    encoder = [p for name, p in named if name.startswith("bert.")]
    heads = [p for name, p in named if not name.startswith("bert.")]
    optimizer = torch.optim.AdamW([{"params": encoder}, {"params": heads}], weight_decay=0.01, fused=True)
    teachers = [Reader(read_weights(path)).to(DEVICE).eval() for path in options.teachers.split(",") if path]
    step, stopped = 0, False
    for epoch in range(options.epochs):
        if epoch in mined_before:
            mine(model, questions, candidates, texts)
            print(f"mined after {time.time() - STARTED:.0f} s", flush=True)
        steps = Steps(questions, pairs, candidates, texts, epoch, options)
        total = options.epochs * len(steps)
        if total == 0:
            sys.exit("too few questions for one step")
        loader = torch.utils.data.DataLoader(
            steps,
            batch_size=None,
            num_workers=options.workers,
            prefetch_factor=3 if options.workers > 0 else None,
            collate_fn=same,
            pin_memory=DEVICE == "cuda",
        )
        model.train()
        losses = []
        for made in loader:
            # The rate falls to nothing at the end of the epochs or of the time, whichever comes first.
            done = max(step / total, (time.time() - started) / left_s)
            if done >= 1:
                stopped = True
                break
            factor = min(1, (step + 1) / (WARM_UP * total)) * max(0.02, 1 - done)
            for group, rate in zip(optimizer.param_groups, rates):
                group["lr"] = rate * factor
            rows, lists = made.rows.on_device(), len(made.answers)
            with half_precision():
                scores, support = read_step(model, rows, lists)
            loss = answer_loss(scores, made)
            if teachers:
                with torch.no_grad(), half_precision():
                    taught = sum(read_step(teacher, rows, lists)[0] for teacher in teachers) / len(teachers)
                loss = loss + WEIGHT_OF_TEACHERS * teacher_loss(scores, taught, made)
            if len(made.labels) > 0:
                loss = loss + WEIGHT_OF_SUPPORT * support_loss(support, made.labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(encoder + heads, 1.0)
            optimizer.step()
            losses.append(loss.detach())
            step += 1
            if step % REPORTED_EVERY == 0:
                mean = float(torch.stack(losses[-REPORTED_EVERY:]).mean())
                print(f"step {step} of {total}, loss {mean:.3f}, {time.time() - STARTED:.0f} s", flush=True)
                save_file(quantised(model.state_dict()), os.path.join(options.out, "reader.safetensors"))
        if stopped:
            print(f"stopped by --limit-s {options.limit_s:.0f} after {step / len(steps):.1f} epochs")
            break


def same(item):
    """A step is a batch already."""
    return item


def area_under_curve(supported, others):
    """How often a supported claim has a higher score than another one."""
    if not supported or not others:
        return float("nan")
    wins = [(s > o) + 0.5 * (s == o) for s in supported for o in others]
    return float(np.mean(wins))


def answers_in_paper(model, asked, candidates, texts):
    """The candidates of each question's paper that score best, and the best score."""
    rows = [texts.pair(q["question"], c) for q in asked for c in candidates[q["document"]]]
    scores = answer_scores(model, rows)
    found, start = [], 0
    for question in asked:
        own = scores[start : start + len(candidates[question["document"]])]
        start += len(own)
        found.append((np.argsort(-own)[:3].tolist(), float(own.max())))
    return found


def measure(model, left_out, lists, pairs, judged, candidates, texts):
    """Prints how the reader does on papers it has not seen, and on sets it never learns from."""
    asked = [each for each in lists if each["document"] in left_out and each["weight"] == 1]
    found = answers_in_paper(model, asked, candidates, texts) if asked else []
    both = list(zip(asked, found))
    answered = [best for each, (_, best) in both if each["answers"]]
    for wording in ("paper", "other"):
        some = [(set(q["answers"]), best) for q, (best, _) in both if q["answers"] and q.get("wording") == wording]
        first = sum(best[0] in right for right, best in some) / max(1, len(some))
        three = sum(not right.isdisjoint(best) for right, best in some) / max(1, len(some))
        words = "the paper's words" if wording == "paper" else "other words"
        found_for = f"first {first:.3f}, among three {three:.3f}"
        print(f"{len(some)} questions in {words} to {len(left_out)} left-out papers: {found_for}")
    absent = [best for each, (_, best) in both if not each["answers"]]
    if absent and answered:
        limit = float(np.quantile(answered, 0.1))
        refused = sum(best < limit for best in absent) / len(absent)
        area = area_under_curve(answered, absent)
        print(f"{len(absent)} absent ones: {refused:.3f} refused where .9 of the others are answered, area {area:.3f}")
    claims = {"left-out papers": [p for p in pairs if p.get("document") in left_out]}
    for pair in judged:
        claims.setdefault(pair["set"], []).append(pair)
    for name, some in claims.items():
        shares = support_shares(model, [texts.pair(p["claim"], ("", "", p["quote"])) for p in some])
        yes = [share for share, p in zip(shares, some) if p["label"] == "supports"]
        no = [share for share, p in zip(shares, some) if p["label"] != "supports"]
        if some:
            area = area_under_curve(yes, no)
            print(f"support, {name}: {len(some)} claims, area under the curve {area:.3f}", flush=True)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="data.json of prepare.ts")
    parser.add_argument("--base", required=True, help="folder with tokenizer.json and model.fp16.safetensors")
    parser.add_argument("--start", help="reader.safetensors to train further; without it, the base is trained")
    parser.add_argument("--out", required=True, help="folder for reader.safetensors")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=9e-5, help="of the encoder; heads 20 times, with --start 4 times it")
    parser.add_argument("--own", type=int, default=3, help="how often an epoch has each written question")
    parser.add_argument("--teachers", default="", help="readers, with commas: this one learns their mean scores too")
    parser.add_argument("--limit-s", type=float, default=310, help="seconds from the start after which training ends")
    parser.add_argument("--left-out", type=int, default=0, help="papers to measure with instead of learning from them")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def left_out_papers(own, options):
    """The last papers of the questions are the newest: earlier weights may have learnt from the first ones."""
    papers = list(dict.fromkeys(each["document"] for each in own))
    newest = papers[len(papers) * 3 // 5 :]
    return set(random.Random(5).sample(newest, options.left_out))


def main():
    options = read_options()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    os.makedirs(options.out, exist_ok=True)
    with open(options.data) as file:
        data = json.load(file)
    candidates = candidates_of(data["documents"])
    texts = Texts(os.path.join(options.base, "tokenizer.json"))
    texts.learn(part for some in candidates.values() for candidate in some for part in candidate)
    texts.learn([q["question"] for q in data["lists"]] + [p[part] for p in data["pairs"] for part in ("claim", "quote")])
    print(f"{len(texts.known)} texts read after {time.time() - STARTED:.0f} s on {DEVICE}", flush=True)
    own = [each for each in data["lists"] if each["set"] == "own"]
    left_out = left_out_papers(own, options)
    base = os.path.join(options.base, "model.fp16.safetensors")
    questions = own_questions([q for q in own if q["document"] not in left_out], candidates, texts, base)
    questions += public_questions([q for q in data["lists"] if q["set"] != "own"], candidates)
    pairs = [pair for pair in data["pairs"] if pair.get("document") not in left_out]
    used = f"{len(left_out)} papers left out"
    print(f"{len(questions)} questions, {len(pairs)} claims, {used}, {time.time() - STARTED:.0f} s", flush=True)
    model = Reader(read_weights(options.start or base)).to(DEVICE)
    train(model, questions, pairs, candidates, texts, options)
    # Measured as it is shipped.
    weights = quantised(model.state_dict())
    path = os.path.join(options.out, "reader.safetensors")
    save_file(weights, path)
    print(f"{path}: {os.path.getsize(path)} bytes, {time.time() - STARTED:.0f} s", flush=True)
    model.load_state_dict(with_quantised_weights(model.state_dict(), weights))
    measure(model, left_out, own, data["pairs"], data["judged"], candidates, texts)


if __name__ == "__main__":
    main()
