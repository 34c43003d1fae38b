"""Cases of three components from `/work/shared/data`, or where SHARED is: for tuning, and unseen ones.

A setting has the cases that are tuned on (other ones for each seed), and those that judge, of which
nothing is in training: another collection, other articles, other topics.
"""

import collections
import json
import os
import pathlib
import random

DATA = pathlib.Path(os.environ.get("SHARED", "/work/shared")) / "data"

CLASSES = (
    "type Row = { l: string, t: string }  param train: string  param asked: string  "
    'let model = train >> parse_csv<Row>(sep: "\\t", header: false) >> '
    'classify.learn(text: "t", label: "l", folds: 3)  '
    'asked >> parse_csv<Row>(sep: "\\t", header: false) >> each { let own = .l  '
    "let found = .t >> classify(model: model)  if found.label == own { 1.0 } else { 0.0 } } >> avg"
)


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def collection(name):
    """The questions of a collection that have a relevant document."""
    folder = DATA / "ir" / name
    grades = collections.defaultdict(dict)
    for line in (folder / "qrels.txt").read_text().splitlines():
        query, _, doc, grade = line.split()
        if float(grade) > 0:
            grades[query][doc] = float(grade)
    cases = []
    for line in (folder / "queries.tsv").read_text().splitlines():
        query, text = line.split("\t", 1)
        if query in grades:
            args = {"query": text, "source": str(folder / "docs.jsonl"), "top_k": 10}
            wanted = {"expected": grades[query], "score": "ndcg@10"}
            cases.append(
                {"name": f"{name}-{query}", "input": args, **wanted, "tags": [name]}
            )
    return cases


def search(held, count):
    """`ctx_search`: two of three collections, and the third one."""

    def cases(seed):
        others = [collection(it) for it in ("cacm", "cisi", "cranfield") if it != held]
        rng = random.Random(seed)
        own = [case for it in others for case in rng.sample(it, min(count, len(it)))]
        return own, collection(held)

    return cases


def classes(seed):
    """`adapt_textclf`: the article that a question is about, of 24 articles, and of 24 others."""
    folder = DATA / "questions/en"
    titles = {it["id"]: it["title"] for it in lines(folder / "docs.jsonl")}
    of = collections.defaultdict(list)
    for it in lines(folder / "queries.jsonl"):
        of[titles[it["doc"]]].append(
            it["question"].replace("\t", " ").replace('"', "'")
        )
    names = sorted(it for it in of if len(of[it]) >= 10)
    random.Random(0).shuffle(names)

    def some(rng, names, count):
        cases = []
        for number in range(count):
            train, asked = [], []
            for label in rng.sample(names, 5):
                own = rng.sample(of[label], 10)
                train += [f"{label}\t{it}" for it in own[:5]]
                asked += [f"{label}\t{it}" for it in own[5:]]
            rng.shuffle(train)
            given = {"train": "\n".join(train), "asked": "\n".join(asked)}
            cases.append(
                {
                    "name": f"{number}",
                    "script": CLASSES,
                    "input": given,
                    "score": "value",
                }
            )
        return cases

    half = len(names) // 2
    return some(random.Random(seed), names[:half], 120), some(
        random.Random(1), names[half:], 150
    )


def summaries(seed):
    """`ctx_summary`: the sentence of a page that answers a question, of half of the topics, and of the others."""
    folder = DATA / "questions/en"
    pages = collections.defaultdict(list)
    titles = {}
    for it in lines(folder / "docs.jsonl"):
        titles[it["id"]] = it["title"]
        pages[it["title"]].append(it["text"])
    names = sorted(pages)
    random.Random(0).shuffle(names)
    half = set(names[: len(names) // 2])

    def case(it):
        page = " ".join(pages[titles[it["doc"]]])
        args = {"from": page, "max_sentences": 1, "query": it["question"]}
        return {
            "name": it["id"],
            "input": args,
            "expected": it["answers"],
            "score": "contains",
        }

    asked = lines(folder / "queries.jsonl")
    own = [case(it) for it in asked if titles[it["doc"]] in half]
    unseen = [case(it) for it in asked if titles[it["doc"]] not in half]
    return random.Random(seed).sample(own, 150), random.Random(1).sample(unseen, 300)


SETTINGS = {
    # About 120 cases of each, so that more than 30 are sealed, and only they count.
    "search-cranfield": ("ctx_search", search("cranfield", 65)),
    "search-cisi": ("ctx_search", search("cisi", 65)),
    "search-cacm": ("ctx_search", search("cacm", 60)),
    "classes": ("adapt_textclf", classes),
    "summaries": ("ctx_summary", summaries),
}
