"""What the reader and the embedder share: the encoder (MiniLM), texts as its token numbers, and vectors of texts."""

import bisect
import json
import os
import sys
import time
from typing import NamedTuple

try:
    import numpy as np
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    from tokenizers import Tokenizer
except ImportError as missing:
    sys.exit(f"{missing}: install what training needs with `pip install -r training/reader/requirements.txt`")

from export import ENCODER

LEFT_OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "left-out.json")
VOCABULARY, POSITIONS, LAYERS, HEADS, DIMENSIONS, INNER = 30522, 512, 6, 12, 384, 1536
DROPOUT = 0.1
# A text this near to one that answers says the same, and is no wrong answer.
SAYS_THE_SAME = 0.9
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

    def single(self, parts, longest):
        """Some texts as one input by itself. WordPiece cuts at spaces and signs: parts can be joined."""
        ids = np.concatenate([self.of(part) for part in parts])
        return np.concatenate([self.start, ids[: longest - 2], self.between])


def padded(rows):
    """A table of token numbers; 0 is padding."""
    longest = max(map(len, rows), default=1)
    table = np.zeros((len(rows), longest + -longest % 8), dtype=np.int32)
    for at, row in enumerate(rows):
        table[at, : len(row)] = row
    return torch.from_numpy(table)


class Row(NamedTuple):
    """An input: token numbers, and of each which of the `count` parts it is of, from 1; 0 is none."""

    ids: np.ndarray
    parts: np.ndarray
    count: int


def whole(ids):
    """An input that is one part."""
    return Row(ids, np.ones(len(ids), dtype=np.int32), 1)


class Packed(NamedTuple):
    """Rows laid one after another into lines of the same length: hardly any of it is padding, whatever their lengths.

    Of each token: `ids`, `positions` in its row, which of the rows it is of, from 1, and which of the `count` parts of
    all rows, from 1 in the order of the rows; 0 is padding, or no part.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    rows: torch.Tensor
    parts: torch.Tensor
    count: int

    def on_device(self):
        return Packed(*(on_device(table) for table in self[:4]), self.count)


def packed(rows, longest):
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].ids))
    lengths = [len(rows[at].ids) for at in order]
    lines = []
    while order:
        line, room = [], longest
        # The longest row that still fits.
        while (fitting := bisect.bisect_right(lengths, room)) > 0:
            line.append(order.pop(fitting - 1))
            room -= lengths.pop(fitting - 1)
        lines.append(line)
    before = np.cumsum([0, *(row.count for row in rows)])
    tables = [np.zeros((len(lines), longest), dtype=np.int32) for _ in range(4)]
    for at, line in enumerate(lines):
        start = 0
        for row in line:
            ids, parts, _ = rows[row]
            end = start + len(ids)
            numbered = np.where(parts > 0, parts + before[row], 0)
            for table, values in zip(tables, (ids, np.arange(len(ids)), row + 1, numbered)):
                table[at, start:end] = values
            start = end
    return Packed(*map(torch.from_numpy, tables), int(before[-1]))


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


def encoder_of(weights):
    """An encoder with the weights that `read_weights` found in a file."""
    encoder = Encoder()
    own = {name.removeprefix(ENCODER): tensor for name, tensor in weights.items() if name.startswith(ENCODER)}
    missing = encoder.load_state_dict(own, strict=False).missing_keys
    if missing:
        sys.exit(f"no weights for {', '.join(missing[:3])}")
    # Words are seen too rarely here to learn them anew.
    encoder.embeddings["word_embeddings"].weight.requires_grad = False
    return encoder


class Embedder(nn.Module):
    """The encoder with mean pooling: a vector of length 1 for each text."""

    def __init__(self, weights):
        super().__init__()
        self.bert = encoder_of(weights)

    def pooled(self, ids):
        states = self.bert(ids).float()
        weights = (ids != 0)[:, :, None].float()
        return F.normalize((states * weights).sum(1) / weights.sum(1), dim=-1)

    def pooled_of_packed(self, table):
        states = self.bert(table.ids, table.positions, table.rows).float()
        sums = states.new_zeros(table.count + 1, DIMENSIONS).index_add(0, table.parts.flatten(), states.flatten(0, 1))
        # Of length 1 in any case: a sum serves as a mean.
        return F.normalize(sums[1:], dim=-1)


@torch.no_grad()
def vectors_of(model, rows, tokens=150_000):
    """An embedder's vectors of token rows; rows of similar length are read together."""
    model.eval()
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    vectors = torch.zeros((len(rows), DIMENSIONS), device=DEVICE)
    start = 0
    with half_precision():
        while start < len(order):
            length = max(8, len(rows[order[min(len(order) - 1, start + tokens // 100)]]))
            part = order[start : start + max(1, tokens // length)]
            vectors[part] = model.pooled(on_device(padded([rows[at] for at in part]))).float()
            start += len(part)
    return vectors


def loaded(steps, workers):
    """What a dataset makes, in its order, made by other processes ahead of time."""
    return torch.utils.data.DataLoader(
        steps,
        batch_size=None,
        num_workers=workers,
        prefetch_factor=4 if workers > 0 else None,
        collate_fn=same,
        pin_memory=DEVICE == "cuda",
    )


def same(item):
    """A step is a batch already."""
    return item


def left_out_papers(count):
    """Papers to measure with: the shipped reader has not learnt from them, so that another one can be compared."""
    with open(LEFT_OUT) as file:
        return set(json.load(file)[:count])
