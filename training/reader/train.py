"""Trains the reader on what prepare.ts wrote: a MiniLM that reads a question and a candidate together.

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

try:
    import numpy as np
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    from safetensors.torch import load_file, save_file
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel
except ImportError as missing:
    sys.exit(f"{missing}: install what training needs with `pip install -r training/reader/requirements.txt`")

from export import quantised, with_quantised_weights

# Input, as src/reader/trained.ts writes it: "question [SEP] title > heading: text", cut at the end.
MAX_TOKENS = 160
LONGEST_QUESTION, LONGEST_TITLE, LONGEST_HEADING, LONGEST_TEXT = 400, 160, 80, 1000
DIMENSIONS = 384
# The pooled vector has length 1; the heads learn faster from a longer one. trained.ts scales by the same.
SCALE = 4

LISTS_PER_STEP = 32
# Candidates of a list that do not answer: two thirds of them from the hardest, the rest from all.
WRONG_PER_LIST = 12
HARDEST = 30
# Wrong candidates kept of a written question: of its own paper, and of all papers.
NEAR_IN_PAPER, NEAR_ANYWHERE = 40, 24
# How many of them are ordered again by the reader itself before these epochs.
MINED, MINED_BEFORE_EPOCHS = 60, (1, 3)
# The reader must do without title or heading: some papers have none.
TITLE_LEFT_OUT = HEADING_LEFT_OUT = 0.2
MOST_PAIRS_PER_STEP = 48
PAIRS_REPEATED = 2
HEAD_RATE = 20
WARM_UP = 0.04
WEIGHT_OF_YES_NO, WEIGHT_OF_SUPPORT = 0.5, 0.7
SUPPORTS, CONTRADICTS, UNRELATED, NOT = range(4)
LABELS = {"supports": SUPPORTS, "contradicts": CONTRADICTS, "neutral": UNRELATED, "not": NOT}


class Texts:
    """Turns texts into token numbers, each text once: the same sentences are read in many lists."""

    def __init__(self, file):
        self.tokenizer = Tokenizer.from_file(file)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.known = {}
        self.start, self.between = (self.tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
        self.after_title, self.after_heading = self.of(">"), self.of(":")

    def learn(self, texts, at_once=20_000):
        """Tokenizes many texts on all cores."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        for at in range(0, len(new), at_once):
            part = new[at : at + at_once]
            for text, found in zip(part, self.tokenizer.encode_batch(part, add_special_tokens=False)):
                self.known[text] = found.ids

    def of(self, text):
        ids = self.known.get(text)
        if ids is None:
            ids = self.known[text] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def pair(self, first, candidate):
        """Token numbers of a question and a candidate. WordPiece cuts at spaces and signs: parts can be joined."""
        title, heading, text = candidate
        above = self.of(title) + (self.after_title if title and heading else []) + self.of(heading)
        second = (above + self.after_heading if above else []) + self.of(text)
        row = [self.start, *self.of(first[:LONGEST_QUESTION]), self.between, *second]
        return [*row[: MAX_TOKENS - 1], self.between]

    def single(self, text):
        return [self.start, *self.of(text)[:126], self.between]


def padded(rows):
    """A table of token numbers; 0 is padding."""
    table = np.zeros((len(rows), max(map(len, rows), default=1)), dtype=np.int32)
    for at, row in enumerate(rows):
        table[at, : len(row)] = row
    return table


def on_device(table):
    ids = torch.from_numpy(table).to("cuda", non_blocking=True).long()
    return ids, (ids != 0).long()


class Reader(nn.Module):
    """The encoder with mean pooling, as for embeddings, and two linear heads."""

    def __init__(self, base):
        super().__init__()
        with open(os.path.join(base, "config.json")) as file:
            self.bert = BertModel(BertConfig(**json.load(file)), add_pooling_layer=False)
        weights = load_file(os.path.join(base, "model.fp16.safetensors"))
        missing = self.bert.load_state_dict({name: w.float() for name, w in weights.items()}, strict=False).missing_keys
        if missing:
            sys.exit(f"{base}: no weights for {', '.join(missing[:3])}")
        self.answer = nn.Linear(DIMENSIONS, 1)
        self.support = nn.Linear(DIMENSIONS, 3)
        self.dropout = nn.Dropout(0.1)
        for head in (self.answer, self.support):
            nn.init.normal_(head.weight, std=0.5)

    def pooled(self, ids, mask):
        states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        weights = mask[:, :, None].float()
        return F.normalize((states * weights).sum(1) / weights.sum(1), dim=-1) * SCALE

    def forward(self, ids, mask):
        vectors = self.dropout(self.pooled(ids, mask))
        return self.answer(vectors)[:, 0], self.support(vectors)


@torch.no_grad()
def batched(rows, read, batch):
    """Results of `read` for token rows; rows of similar length are read together."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    found = [None] * len(rows)
    with torch.autocast("cuda", torch.bfloat16):
        for start in range(0, len(order), batch):
            part = order[start : start + batch]
            values = read(*on_device(padded([rows[at] for at in part]))).float().cpu().numpy()
            for at, value in zip(part, values):
                found[at] = value
    return found


def answer_scores(model, rows):
    model.eval()
    return batched(rows, lambda ids, mask: model(ids, mask)[0], 1024)


def support_shares(model, rows):
    """How likely each quote supports its claim."""
    model.eval()
    return [v[0] for v in batched(rows, lambda ids, mask: F.softmax(model(ids, mask)[1].float(), -1), 1024)]


def vectors_of(model, rows):
    model.eval()
    return torch.tensor(np.array(batched(rows, model.pooled, 2048)), device="cuda")


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
    model = Reader(base).cuda()
    papers = sorted({each["document"] for each in lists})
    keys = [(paper, at) for paper in papers for at in range(len(candidates[paper]))]
    vectors = vectors_of(model, [texts.single(candidates[paper][at][2]) for paper, at in keys])
    in_paper = {}
    for at, (paper, _) in enumerate(keys):
        in_paper.setdefault(paper, []).append(at)
    asked = vectors_of(model, [texts.single(each["question"]) for each in lists])
    questions = []
    for each, vector in zip(lists, asked):
        document, right = each["document"], {(each["document"], at) for at in each["answers"]}
        nearness = vectors @ vector
        inside = torch.tensor(in_paper.get(document, []), device="cuda", dtype=torch.long)
        most = min(NEAR_IN_PAPER + len(right), len(inside))
        near = inside[nearness[inside].topk(most).indices].tolist()
        # A column is asked of every paper: what other papers say of it is no wrong answer.
        if each["weight"] == 1:
            near += nearness.topk(min(NEAR_ANYWHERE + len(right), len(keys))).indices.tolist()
        wrong = [keys[at] for at in dict.fromkeys(near) if keys[at] not in right]
        questions.append(Question(each["question"], sorted(right), wrong, each["weight"], True))
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
        own = [each for each in questions if each.own]
        public = [each for each in questions if not each.own]
        self.questions = own * options.own + public
        shuffle.shuffle(self.questions)
        self.pairs = [p for p in pairs if p["set"] == "own"] * PAIRS_REPEATED + [p for p in pairs if p["set"] != "own"]
        shuffle.shuffle(self.pairs)
        self.elsewhere = [each.wrong[0] for each in public if each.wrong]
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
        return padded(rows), lists, padded(pair_rows), labels

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


def answer_loss(scores, lists):
    """The right candidate before the others, or "none" (score 0) before all; and each by itself, yes or no."""
    width = max(right + wrong for _, right, wrong, _ in lists)
    places = np.full((len(lists), width), -1)
    for at, (start, right, wrong, _) in enumerate(lists):
        places[at, : right + wrong] = range(start, start + right + wrong)
    places = torch.from_numpy(places).to(scores.device)
    table = scores[places.clamp(min=0)].masked_fill(places < 0, -1e4)
    table = torch.cat([torch.zeros(len(lists), 1, device=scores.device), table], 1)
    first = torch.tensor([min(1, right) for _, right, _, _ in lists], device=scores.device)
    weights = torch.tensor([weight for *_, weight in lists], device=scores.device)
    ranked = (F.cross_entropy(table, first, reduction="none") * weights).sum() / len(lists)
    answers = torch.tensor([float(at < right) for _, right, wrong, _ in lists for at in range(right + wrong)])
    each = F.binary_cross_entropy_with_logits(
        scores, answers.to(scores.device), pos_weight=torch.tensor(3.0, device=scores.device)
    )
    return ranked + WEIGHT_OF_YES_NO * each


def support_loss(logits, labels):
    """Of `not` it is only known that it is not `supports`: contradicts and unrelated are both right."""
    labels = torch.tensor(labels, device=logits.device)
    shares = F.log_softmax(logits, -1)
    known = labels < NOT
    exact = -shares[known].gather(1, labels[known][:, None]).sum()
    not_supported = -torch.log1p(-shares[~known][:, SUPPORTS].exp().clamp(max=0.999)).sum()
    return (exact + not_supported) / len(labels)


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
    rates = (options.rate, options.rate * HEAD_RATE)
    named = list(model.named_parameters())
    encoder = [p for name, p in named if name.startswith("bert.")]
    heads = [p for name, p in named if not name.startswith("bert.")]
    optimizer = torch.optim.AdamW([{"params": encoder}, {"params": heads}], weight_decay=0.01)
    step = 0
    for epoch in range(options.epochs):
        if epoch in MINED_BEFORE_EPOCHS:
            mine(model, questions, candidates, texts)
        steps = Steps(questions, pairs, candidates, texts, epoch, options)
        total = options.epochs * len(steps)
        if total == 0:
            sys.exit("too few questions for one step")
        workers = max(1, (os.cpu_count() or 2) - 2)
        loader = torch.utils.data.DataLoader(
            steps, batch_size=None, num_workers=workers, prefetch_factor=6, collate_fn=same
        )
        model.train()
        losses = []
        for rows, lists, pair_rows, labels in loader:
            # The rate falls to nothing at the end of the epochs or of the time, whichever comes first.
            done = max(step / total, (time.time() - started) / options.limit_s)
            if done >= 1:
                break
            factor = min(1, (step + 1) / (WARM_UP * total)) * max(0.02, 1 - done)
            for group, rate in zip(optimizer.param_groups, rates):
                group["lr"] = rate * factor
            with torch.autocast("cuda", torch.bfloat16):
                scores = model(*on_device(rows))[0]
                supports = model(*on_device(pair_rows))[1] if labels else None
            loss = answer_loss(scores.float(), lists)
            if supports is not None:
                loss = loss + WEIGHT_OF_SUPPORT * support_loss(supports.float(), labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.detach())
            step += 1
        mean = float(torch.stack(losses).mean()) if losses else float("nan")
        seconds = time.time() - started
        print(f"epoch {epoch}: {len(losses)} of {len(steps)} steps, loss {mean:.3f}, {seconds:.0f} s", flush=True)
        if len(losses) < len(steps):
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


def measure(model, left_out, lists, pairs, judged, candidates, texts):
    """Prints how the reader does on papers it has not seen, and on sets it never learns from."""
    asked = [each for each in lists if each["document"] in left_out and each["answers"] and each["weight"] == 1]
    rows = [texts.pair(q["question"], c) for q in asked for c in candidates[q["document"]]]
    scores = iter(answer_scores(model, rows))
    first = three = 0
    for question in asked:
        found = [next(scores) for _ in candidates[question["document"]]]
        best = sorted(range(len(found)), key=lambda at: -found[at])[:3]
        first += best[0] in question["answers"]
        three += any(at in question["answers"] for at in best)
    if asked:
        shares = f"first {first / len(asked):.3f}, among three {three / len(asked):.3f}"
        print(f"{len(asked)} questions to {len(left_out)} left-out papers: {shares}")
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
    parser.add_argument("--base", required=True, help="folder with config.json, tokenizer.json, model.fp16.safetensors")
    parser.add_argument("--out", required=True, help="folder for reader.safetensors")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=9e-5, help="learning rate of the encoder; heads: 20 times it")
    parser.add_argument("--own", type=int, default=3, help="how often an epoch has each written question")
    parser.add_argument("--limit-s", type=float, default=460, help="seconds after which training ends")
    parser.add_argument("--left-out", type=int, default=0, help="papers to measure with instead of learning from them")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = read_options()
    if not torch.cuda.is_available():
        sys.exit(
            "no GPU found: training needs one that CUDA can use, and a torch built for it "
            "(https://pytorch.org/get-started/locally); `nvidia-smi` shows the GPUs of this machine"
        )
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    with open(options.data) as file:
        data = json.load(file)
    candidates = candidates_of(data["documents"])
    texts = Texts(os.path.join(options.base, "tokenizer.json"))
    texts.learn(part for some in candidates.values() for candidate in some for part in candidate)
    own = [each for each in data["lists"] if each["set"] == "own"]
    papers = sorted({each["document"] for each in own})
    left_out = set(random.Random(5).sample(papers, options.left_out))
    questions = own_questions([q for q in own if q["document"] not in left_out], candidates, texts, options.base)
    questions += public_questions([q for q in data["lists"] if q["set"] != "own"], candidates)
    pairs = [pair for pair in data["pairs"] if pair.get("document") not in left_out]
    used = f"{len(left_out)} of {len(papers)} papers left out"
    print(f"{len(questions)} questions, {len(pairs)} claims, {used}", flush=True)
    model = Reader(options.base).cuda()
    train(model, questions, pairs, candidates, texts, options)
    # Measured as it is shipped.
    weights = quantised(model.state_dict())
    model.load_state_dict(with_quantised_weights(model.state_dict(), weights))
    measure(model, left_out, own, data["pairs"], data["judged"], candidates, texts)
    path = os.path.join(options.out, "reader.safetensors")
    save_file(weights, path)
    print(f"{path}: {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()
