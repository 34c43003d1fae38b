"""Writes similarities.json: pairs of names, and their similarity by rapidfuzz.

    pip install rapidfuzz && python similarities.py
"""

import json
import random

from rapidfuzz.distance import JaroWinkler

NAMES = """Anna Schmidt;Ana Schmidt;Anna Schmitt;Schmidt Anna;Peter Müller;Peter Mueller;P. Müller;MARTHA;MARHTA
DIXON;DICKSONX;DWAYNE;DUANE;International Business Machines;Intl Business Machines;Acme Ltd;Acme Limited;ACME
Łódź;Lodz;北京市;北京;東京都;Zoë;Zoe;Jean-Luc Picard;Jean Luc Picard;O'Brien;OBrien;a;b;ab;ba;;abcdefghij;jihgfedcba"""

names = [it for line in NAMES.split("\n") for it in line.split(";")]
rng = random.Random(1)
pairs = [(a, b) for a in names for b in names if rng.random() < 0.3]
for _ in range(100):
    word = "".join(rng.choice("abcdeé") for _ in range(rng.randint(1, 12)))
    other = list(word)
    for _ in range(rng.randint(0, 4)):
        other.insert(rng.randint(0, len(other)), rng.choice("abcdeé"))
        other.pop(rng.randint(0, len(other) - 1))
    pairs.append((word, "".join(other)))
cases = [[a, b, JaroWinkler.similarity(a, b)] for a, b in pairs]
with open("similarities.json", "w", encoding="utf-8") as out:
    out.write("[\n" + ",\n".join(json.dumps(it, ensure_ascii=False) for it in cases) + "\n]\n")
