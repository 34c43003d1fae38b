"""ROUGE of summaries by svc, and by the first sentences, LexRank and TextRank of sumy.

    pip install rouge-score sumy numpy
    python3 benches/summaries/score.py SET FOLDER [odd|even|all]

SET is `opinosis` (the folder of OpinosisDataset1.0_0.zip), `bbc` (the folder of BBC News Summary;
every fifth article), or `jsonl` (a file with one record per line: `text`, `gold`, `sentences`).
`SVC` names the program; by default it is `svc`.
"""

import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from rouge_score import rouge_scorer
from sumy.nlp.stemmers import Stemmer
from sumy.parsers.plaintext import PlaintextParser
from sumy.summarizers.lex_rank import LexRankSummarizer
from sumy.summarizers.text_rank import TextRankSummarizer
from sumy.utils import get_stop_words

UNLIMITED = 5000
SCORER = rouge_scorer.RougeScorer(["rouge1", "rouge2"], use_stemmer=True)


class Tokenizer:
    """Sentences and words without the models of NLTK, which need a download."""

    def to_sentences(self, text):
        parts = re.split(r"(?<=[.!?])[\"')]*\s+|\n+", text)
        return tuple(it.strip() for it in parts if it.strip())

    def to_words(self, text):
        return tuple(re.findall(r"[^\W\d_]+", text))


def read(path):
    with open(path, encoding="latin1") as file:
        return file.read()


def opinosis(folder):
    for path in sorted(glob.glob(f"{folder}/topics/*.data")):
        topic = os.path.basename(path).removesuffix(".txt.data")
        lines = [it.strip() for it in read(path).splitlines() if it.strip()]
        gold = [read(it).strip() for it in sorted(glob.glob(f"{folder}/summaries-gold/{topic}/*"))]
        yield {"text": "\n\n".join(lines), "gold": gold, "sentences": 2, "words": UNLIMITED}


def bbc(folder):
    for path in sorted(glob.glob(f"{folder}/News Articles/*/*.txt")):
        gold = read(path.replace("News Articles", "Summaries"))
        # The sentences of these summaries are not separated.
        gold = re.sub(r'([.!?])([A-Z"])', r"\1 \2", gold)
        text = "\n\n".join(it for it in read(path).splitlines()[1:] if it.strip())
        words = max(10, int(0.4 * len(text.split())))
        yield {"text": text, "gold": [gold], "sentences": 50, "words": words}


def jsonl(path):
    with open(path, encoding="utf-8") as file:
        for record in map(json.loads, file):
            yield {"words": UNLIMITED, **record}


def by_svc(records):
    script = os.path.join(os.path.dirname(__file__), "run.svc")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "texts.json")
        keys = ("text", "sentences", "words")
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{key: it[key] for key in keys} for it in records], file)
        command = [os.environ.get("SVC", "svc"), "run", script, "--param", f"from={path}", "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def by_peer(records, order):
    """The first sentences in an order that fit, as `summary` chooses them."""
    for record in records:
        document = PlaintextParser.from_string(record["text"], Tokenizer()).document
        chosen, left = [], record["words"]
        for sentence in order(document):
            words = len(str(sentence).split())
            if len(chosen) < record["sentences"] and words <= left:
                chosen.append(str(sentence))
                left -= words
        yield " ".join(chosen)


def lex_rank(document):
    peer = LexRankSummarizer(Stemmer("english"))
    peer.stop_words = get_stop_words("english")
    words = [peer._to_words_set(it) for it in document.sentences]
    tf, idf = peer._compute_tf(words), peer._compute_idf(words)
    scores = peer.power_method(peer._create_matrix(words, peer.threshold, tf, idf), peer.epsilon)
    order = sorted(range(len(words)), key=lambda it: -scores[it])
    return [document.sentences[it] for it in order]


def text_rank(document):
    peer = TextRankSummarizer(Stemmer("english"))
    peer.stop_words = get_stop_words("english")
    scores = peer.rate_sentences(document)
    return sorted(document.sentences, key=lambda it: -scores[it])


def rouge(record, text):
    scores = [SCORER.score(it, text) for it in record["gold"]]
    mean = lambda name: sum(it[name].fmeasure for it in scores) / len(scores)
    return mean("rouge1"), mean("rouge2")


def report(name, records, texts):
    scores = [rouge(*it) for it in zip(records, texts)]
    mean = lambda some, at: sum(it[at] for it in some) / len(some)
    chance = random.Random(1)
    rounds = sorted(mean(chance.choices(scores, k=len(scores)), 0) for _ in range(1000))
    low, high = rounds[25], rounds[974]
    print(f"{name:10} R-1 {mean(scores, 0):.4f} [{low:.3f}, {high:.3f}]  R-2 {mean(scores, 1):.4f}")


def main():
    kind, folder, *part = sys.argv[1:]
    records = list({"opinosis": opinosis, "bbc": bbc, "jsonl": jsonl}[kind](folder))
    if part and part[0] != "all":
        records = records[part[0] == "odd" :: 2]
    records = records[::5] if kind == "bbc" else records
    report("svc", records, by_svc(records))
    report("lead", records, list(by_peer(records, lambda it: it.sentences)))
    report("LexRank", records, list(by_peer(records, lex_rank)))
    report("TextRank", records, list(by_peer(records, text_rank)))


main()
