"""Trains the tagger on what prepare.py wrote and writes its weights, rounded to int8, in two parts.

python3 train.py --data data.npz.z --start reader.safetensors --out FOLDER --limit-s 120

--start: a safetensors file with the weights of a MiniLM (matrices as int8 with a scale per row, or floats).
Needs torch and numpy.
"""

import argparse
import io
import json
import os
import struct
import time
import zlib

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "labels.json")) as file:
    LABELS = json.load(file)
TYPES, INTENTS = LABELS["types"], LABELS["intents"]
LAYERS, HIDDEN, HEADS, WIDE, WORDS, POSITIONS, SHAPES = 6, 384, 12, 1536, 30522, 512, 4
EPSILON = 1e-12
RATE, HEAD_RATE, WARM_UP = 2.5e-4, 2e-3, 0.05
INTENT_WEIGHT = 0.1
# The share of the time after which weights are rounded at each step as they will be shipped.
ROUNDED_FROM = 0.5


def rounded(weight):
    scale = weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
    return weight + (torch.round(weight / scale) * scale - weight).detach()


class Matrix(nn.Module):
    """A linear layer whose weights can be rounded to int8 while learning."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) * 0.02)
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.is_rounded = False

    def forward(self, given):
        return F.linear(given, rounded(self.weight) if self.is_rounded else self.weight, self.bias)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.self = nn.ModuleDict({name: Matrix(HIDDEN, HIDDEN) for name in ("query", "key", "value")})
        self.output = nn.ModuleDict({"dense": Matrix(HIDDEN, HIDDEN), "LayerNorm": nn.LayerNorm(HIDDEN, EPSILON)})

    def forward(self, state, mask):
        rows, length, _ = state.shape
        parts = [self.self[name](state).view(rows, length, HEADS, -1).transpose(1, 2) for name in ("query", "key", "value")]
        found = F.scaled_dot_product_attention(*parts, attn_mask=mask[:, None, None, :])
        found = found.transpose(1, 2).reshape(rows, length, HIDDEN)
        found = F.dropout(self.output["dense"](found), 0.1, self.training)
        return self.output["LayerNorm"](state + found)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.intermediate = nn.ModuleDict({"dense": Matrix(HIDDEN, WIDE)})
        self.output = nn.ModuleDict({"dense": Matrix(WIDE, HIDDEN), "LayerNorm": nn.LayerNorm(HIDDEN, EPSILON)})

    def forward(self, state, mask):
        state = self.attention(state, mask)
        found = self.output["dense"](F.gelu(self.intermediate["dense"](state)))
        return self.output["LayerNorm"](state + F.dropout(found, 0.1, self.training))


class Tagger(nn.Module):
    """A BERT with a head on each token, three classes (outside, begins, inside) for each type, and one on the sentence."""

    def __init__(self):
        super().__init__()
        self.embeddings = nn.ModuleDict({
            "word_embeddings": nn.Embedding(WORDS, HIDDEN),
            "position_embeddings": nn.Embedding(POSITIONS, HIDDEN),
            "token_type_embeddings": nn.Embedding(SHAPES, HIDDEN),
            "LayerNorm": nn.LayerNorm(HIDDEN, EPSILON),
        })
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer() for _ in range(LAYERS))})
        self.tags = nn.Linear(HIDDEN, 3 * len(TYPES))
        self.intent = nn.Linear(HIDDEN, len(INTENTS))

    def forward(self, ids, shapes):
        mask = ids != 0
        part = self.embeddings
        places = torch.arange(ids.shape[1], device=ids.device)
        state = part["word_embeddings"](ids) + part["position_embeddings"](places) + part["token_type_embeddings"](shapes)
        state = F.dropout(part["LayerNorm"](state), 0.1, self.training)
        for layer in self.encoder["layer"]:
            state = layer(state, mask)
        tags = self.tags(F.dropout(state, 0.1, self.training)).view(*ids.shape, len(TYPES), 3)
        return tags, self.intent(state[:, 0])

    def round_weights(self, on):
        for module in self.modules():
            if isinstance(module, Matrix):
                module.is_rounded = on


NUMBERS = {"F16": np.float16, "F32": np.float32, "I8": np.int8}


def read_tensors(path):
    """Tensors of a safetensors file; int8 matrices are multiplied by their scales."""
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    found = {}
    for name, facts in header.items():
        if name == "__metadata__":
            continue
        low, high = facts["data_offsets"]
        values = np.frombuffer(content, NUMBERS[facts["dtype"]], offset=8 + size + low, count=(high - low) // NUMBERS[facts["dtype"]]().itemsize)
        found[name] = torch.from_numpy(values.reshape(facts["shape"]).astype(np.float32))
    for name in [name for name in found if f"{name}.scale" in found]:
        found[name] = found[name] * found.pop(f"{name}.scale")[:, None]
    return found


def write_tensors(path, tensors):
    names, header, at = list(tensors), {}, 0
    for name in names:
        values = tensors[name]
        kind = {np.dtype(v): k for k, v in NUMBERS.items()}[values.dtype]
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in names:
            file.write(np.ascontiguousarray(tensors[name]).tobytes())


def start_from(model, path):
    given = read_tensors(path)
    state = model.state_dict()
    taken = 0
    for name, values in state.items():
        if name in given and name.startswith(("embeddings.", "encoder.")):
            source = given[name]
            if name.endswith("token_type_embeddings.weight"):
                # One row was used: the other shapes start from it.
                source = source[:1].repeat(SHAPES, 1)
            assert source.shape == values.shape, (name, source.shape, values.shape)
            values.copy_(source)
            taken += 1
    wanted = sum(name.startswith(("embeddings.", "encoder.")) for name in state)
    assert taken == wanted, f"{taken} of {wanted} tensors found in {path}"


def shipped(model):
    """Matrices of the encoder and the word table as int8 with a scale per row, heads whole, the rest in half precision."""
    found = {}
    for name, tensor in model.state_dict().items():
        weights = tensor.detach().float().cpu()
        is_matrix = name.startswith("encoder.") and name.endswith(".weight") and weights.ndim == 2
        if name.startswith(("tags.", "intent.")):
            found[name] = weights.numpy()
        elif is_matrix or name == "embeddings.word_embeddings.weight":
            scale = weights.abs().amax(1).clamp(min=1e-8) / 127
            found[name] = torch.round(weights / scale[:, None]).clamp(-127, 127).to(torch.int8).numpy()
            found[f"{name}.scale"] = scale.numpy()
        else:
            found[name] = weights.numpy().astype(np.float16)
    return found


def load_shipped(model, tensors):
    state = model.state_dict()
    for name, values in state.items():
        weights = torch.from_numpy(tensors[name].astype(np.float32))
        if f"{name}.scale" in tensors:
            weights = weights * torch.from_numpy(tensors[f"{name}.scale"])[:, None]
        values.copy_(weights)


class Data:
    def __init__(self, path, device, share, tokens_per_step):
        self.tokens_per_step = tokens_per_step
        with open(path, "rb") as file:
            arrays = np.load(io.BytesIO(zlib.decompress(file.read())))
        self.lengths = arrays["lengths"].astype(np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        self.sets, self.held, self.intents = arrays["sets"], arrays["held"].astype(bool), arrays["intents"].astype(np.int64)
        self.names, self.weights = [str(name) for name in arrays["names"]], arrays["weights"]
        self.masks = torch.from_numpy(arrays["masks"]).float().to(device)
        spans = arrays["spans"]
        self.spans = [[] for _ in self.lengths]
        tags = np.zeros((int(self.lengths.sum()), len(TYPES)), np.uint8)
        for row, kind, low, high in spans:
            self.spans[row].append((int(kind), int(low), int(high)))
            start = self.starts[row]
            tags[start + low : start + high, kind] = 2
        for row, kind, low, _ in spans:
            tags[self.starts[row] + low, kind] = 1
        self.device = device
        pad = lambda values: torch.from_numpy(np.concatenate([values, np.zeros((1, *values.shape[1:]), values.dtype)])).to(device)
        # One more entry than tokens: padding points to it.
        self.ids, self.shapes, self.tags = pad(arrays["ids"].astype(np.int32)), pad(arrays["shapes"]), pad(tags)
        dice = np.random.default_rng(3)
        self.rows = np.flatnonzero(dice.random(len(self.lengths)) < share) if share < 1 else np.arange(len(self.lengths))

    def batch(self, rows):
        lengths = self.lengths[rows]
        width = int(-(-lengths.max() // 8) * 8)
        places = self.starts[rows][:, None] + np.arange(width)[None]
        places = np.where(np.arange(width)[None] < lengths[:, None], places, len(self.ids) - 1)
        at = torch.from_numpy(places).to(self.device)
        return self.ids[at].long(), self.shapes[at].long(), self.tags[at].long()

    def batches(self, rows, dice):
        """Rows of like length together, as many as a step reads."""
        order = rows[np.argsort(self.lengths[rows] + dice.integers(0, 8, len(rows)), kind="stable")]
        found, at = [], 0
        while at < len(order):
            count = max(1, self.tokens_per_step // int(-(-(self.lengths[order[min(at + 400, len(order) - 1)]] + 8) // 8) * 8))
            found.append(order[at : at + count])
            at += count
        dice.shuffle(found)
        return found


def loss_of(model, data, rows):
    ids, shapes, tags = data.batch(rows)
    sets = torch.from_numpy(data.sets[rows].astype(np.int64)).to(data.device)
    masks = data.masks[sets]
    with torch.autocast(data.device, torch.bfloat16):
        logits, intent = model(ids, shapes)
    each = F.cross_entropy(logits.float().flatten(0, 2), tags.flatten(), reduction="none").view(tags.shape)
    # A token is judged only by the types that its set labels.
    wanted = masks[:, None, : len(TYPES)] * (ids != 0)[:, :, None]
    loss = (each * wanted).sum() / (ids != 0).sum()
    labels = torch.from_numpy(data.intents[rows]).to(data.device)
    if bool((data.intents[rows] >= 0).any()):
        known = labels >= 0
        count = known.sum()
        loss = loss + INTENT_WEIGHT * F.cross_entropy(intent.float()[known], labels[known], reduction="sum") / count * known.float().mean() * 3
    return loss


def spans_of(tags, sure):
    """Entities of one type in a row of classes, with how sure the least sure token is."""
    found, start = [], None
    for at, tag in enumerate([*tags, 0]):
        if start is not None and tag != 2:
            found.append((start, at, float(min(sure[start:at]))))
            start = None
        if tag == 1 or (tag == 2 and start is None):
            start = at
    return found


@torch.no_grad()
def measure(model, data, log, has_time):
    model.eval()
    rows = data.rows[data.held[data.rows]]
    counts, right, total = {}, {}, {}
    confusion = np.zeros((len(INTENTS), len(INTENTS)), int)
    masks = data.masks.cpu().numpy()
    for batch in data.batches(rows, np.random.default_rng(1)):
        if not has_time():
            log("measured on a part of the held-out sentences only")
            break
        ids, shapes, _ = data.batch(batch)
        with torch.autocast(data.device, torch.bfloat16):
            logits, intent = model(ids, shapes)
        shares = logits.float().softmax(-1)
        tags = shares.argmax(-1).cpu().numpy()
        sure = (1 - shares[..., 0]).cpu().numpy()
        for at, row in enumerate(batch):
            if data.intents[row] >= 0:
                confusion[data.intents[row], int(intent[at].argmax())] += 1
            for kind in np.flatnonzero(masks[data.sets[row]][: len(TYPES)]):
                length = data.lengths[row]
                gold = {(low, high) for k, low, high in data.spans[row] if k == kind}
                key = (TYPES[kind], data.names[data.sets[row]])
                found = spans_of(tags[at, :length, kind], sure[at, :length, kind])
                entry = counts.setdefault(key, [0, 0, 0, 0, []])
                entry[0] += len(gold)
                for low, high, certainty in found:
                    exact = (low, high) in gold
                    overlap = any(a < high and b > low for a, b in gold)
                    entry[1] += 1
                    entry[2] += exact
                    entry[3] += overlap
                    entry[4].append((certainty, exact, overlap))
    for (kind, name), (gold, found, exact, overlap, each) in sorted(counts.items()):
        p, r = exact / max(1, found), exact / max(1, gold)
        parts = []
        for level in (0.7, 0.9, 0.97):
            some = [(e, o) for c, e, o in each if c >= level]
            parts.append(f"{level}: P {np.mean([e for e, _ in some]) if some else 0:.3f}/{np.mean([o for _, o in some]) if some else 0:.3f} R {sum(e for e, _ in some) / max(1, gold):.3f}")
        log(f"{kind:13s} {name:20s} gold {gold:5d} P {p:.3f} R {r:.3f} F1 {2 * p * r / max(1e-9, p + r):.3f} overlap P {overlap / max(1, found):.3f} | {' | '.join(parts)}")
    if confusion.sum():
        log(f"intent: right {np.trace(confusion) / confusion.sum():.3f}, rows {INTENTS} read as {confusion.tolist()}")
    model.train()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--start", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--limit-s", type=float, default=130)
    parser.add_argument("--share", type=float, default=1, help="learn from this share of the sentences only")
    parser.add_argument("--tokens-per-step", type=int, default=16384)
    parser.add_argument("--all", action="store_true", help="learn from the held-out parts too")
    options = parser.parse_args()
    began = time.time()
    passed = lambda: time.time() - began
    lines = []

    def log(text):
        lines.append(text)
        print(f"{passed():6.1f} {text}", flush=True)
        with open(os.path.join(options.out, "tagger-log.txt"), "w") as file:
            file.write("\n".join(lines) + "\n")

    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = True
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = Data(options.data, device, options.share, options.tokens_per_step)
    model = Tagger().to(device)
    start_from(model, options.start)
    # What is left after training: measuring, rounding, writing.
    spare = max(8.0, 0.12 * options.limit_s)
    log(f"{len(data.rows)} sentences, {device}, loaded")
    learnt = data.rows[~data.held[data.rows]] if not options.all else data.rows
    heads = [p for name, p in model.named_parameters() if name.startswith(("tags.", "intent."))]
    rest = [p for name, p in model.named_parameters() if not name.startswith(("tags.", "intent."))]
    groups = [{"params": rest, "base": RATE}, {"params": heads, "base": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, weight_decay=0.01, betas=(0.9, 0.98), fused=device == "cuda")
    first, ends = passed(), options.limit_s - spare
    dice, step, epoch, losses, is_rounded = np.random.default_rng(1), 0, 0, [], False
    model.train()
    weights = data.weights[data.sets[learnt]]
    while passed() < ends:
        # A set of weight 2 is read twice an epoch, one of weight .4 two times in five epochs.
        times = np.floor(weights + dice.random(len(learnt))).astype(int)
        for rows in data.batches(np.repeat(learnt, times), dice):
            done = (passed() - first) / (ends - first)
            if done >= 1:
                break
            if done >= ROUNDED_FROM and not is_rounded:
                model.round_weights(True)
                is_rounded = True
            factor = min(1, done / WARM_UP + 0.01) * max(0.02, 1 - done)
            for group in optimizer.param_groups:
                group["lr"] = group["base"] * factor
            loss = loss_of(model, data, rows)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 200 == 0:
                log(f"epoch {epoch} step {step} loss {float(loss.detach()):.4f}")
        epoch += 1
    log(f"{step} steps, {epoch} epochs begun, last loss {float(loss.detach()):.4f}")
    tensors = shipped(model)
    table = {name: tensors.pop(name) for name in list(tensors) if "word_embeddings" in name}
    write_tensors(os.path.join(options.out, "tagger-words.safetensors"), table)
    write_tensors(os.path.join(options.out, "tagger-layers.safetensors"), tensors)
    log("weights written")
    model.round_weights(False)
    with torch.no_grad():
        load_shipped(model, {**tensors, **table})
    measure(model, data, log, lambda: passed() < options.limit_s)
    log(f"finished after {passed():.0f} s")


if __name__ == "__main__":
    main()
