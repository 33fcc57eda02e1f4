"""Joins the parts that train.py wrote into models/tagger.safetensors: python3 join.py FOLDER OUT."""

import json
import struct
import sys


def tensors_of(path):
    with open(path, "rb") as file:
        content = file.read()
    start = 8 + struct.unpack("<Q", content[:8])[0]
    for name, facts in json.loads(content[8:start]).items():
        low, high = facts["data_offsets"]
        yield name, facts, content[start + low : start + high]


folder, out = sys.argv[1:]
header, parts, at = {}, [], 0
for part in ("words", "layers"):
    for name, facts, values in tensors_of(f"{folder}/tagger-{part}.safetensors"):
        header[name] = {**facts, "data_offsets": [at, at + len(values)]}
        parts.append(values)
        at += len(values)
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(out, "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
