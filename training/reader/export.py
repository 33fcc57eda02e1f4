"""Turns the weights of a trained reader into those that are shipped: matrices as int8 with a scale per row."""

import torch
from safetensors.torch import load_file

ENCODER = "bert."
HEAD = "answer."
WORDS = f"{ENCODER}embeddings.word_embeddings.weight"
# The pooler is not used; positions are counted by the program.
LEFT_OUT = ("position_ids", "pooler")
MATRICES = ("encoder.", "embeddings.word_embeddings.")


def shipped_name(name):
    """Names as in the files of MiniLM, without the prefix of the encoder, so that one writer of graphs serves both."""
    return name.removeprefix(ENCODER)


def quantised(state):
    """The tensors of a file that is shipped. The head is small and decides: it stays in full precision."""
    found = {}
    for full_name, tensor in state.items():
        name = shipped_name(full_name)
        weights = tensor.detach().float().cpu()
        if any(part in name for part in LEFT_OUT):
            continue
        if name.startswith(HEAD):
            found[name] = weights.contiguous()
        elif name.startswith(MATRICES) and name.endswith(".weight") and weights.ndim == 2:
            scale = weights.abs().amax(1).clamp(min=1e-8) / 127
            found[name] = torch.round(weights / scale[:, None]).clamp(-127, 127).to(torch.int8).contiguous()
            found[f"{name}.scale"] = scale.contiguous()
        else:
            found[name] = weights.half().contiguous()
    return found


def without_words(shipped):
    """The same without the word vectors: half of a file, and no training changes them."""
    return {name: tensor for name, tensor in shipped.items() if not name.startswith(shipped_name(WORDS))}


def with_quantised_weights(state, shipped):
    """The state of a model whose weights are rounded as the shipped ones."""
    rounded = dict(state)
    for full_name, tensor in state.items():
        name = shipped_name(full_name)
        if name not in shipped:
            continue
        weights = shipped[name].float()
        if f"{name}.scale" in shipped:
            weights = weights * shipped[f"{name}.scale"][:, None]
        rounded[full_name] = weights.to(tensor.device)
    return rounded


def read_weights(path):
    """Weights of a file of MiniLM or of a reader, in full precision, under the names of training."""
    tensors = load_file(path)
    found = {}
    for name, tensor in tensors.items():
        if name.endswith(".scale") or any(part in name for part in LEFT_OUT):
            continue
        weights = tensor.float()
        if f"{name}.scale" in tensors:
            weights = weights * tensors[f"{name}.scale"][:, None]
        found[name if name.startswith(HEAD) else ENCODER + name.removeprefix(ENCODER)] = weights
    return found
