"""The measurements of the promises, with common Python libraries.

Prints one line per measurement: name, value and unit, separated by tabs; or the reason
for a missing value. The argument `small` reduces the sizes.
"""

import asyncio
import sys
import time

SMALL = sys.argv[1:] == ["small"]
STAGES = 10 if SMALL else 1_000
ITEMS = 10 if SMALL else 1_000
RUNS = 1 if SMALL else 5


def best(work):
    """The shortest time of several runs, in seconds."""

    def timed():
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(timed() for _ in range(RUNS))


def tell(what, measured, unit):
    print(what, f"{measured:.3f}", unit, sep="\t", flush=True)


def upper(text):
    return text.upper()


async def plain_waits():
    await asyncio.gather(*(asyncio.sleep(0.01) for _ in range(ITEMS)))


def asyncio_waits():
    took = best(lambda: asyncio.run(plain_waits()))
    tell("1,000 items that wait 10 ms, asyncio", took * 1e3, "ms")


def lcel():
    from langchain_core.runnables import RunnableLambda, RunnableSequence

    chain = RunnableSequence(*(RunnableLambda(upper) for _ in range(STAGES)))
    took = best(lambda: chain.invoke("a b"))
    tell("a stage of a chain of 1,000, langchain-core", took / STAGES * 1e6, "µs")

    async def nap(it):
        await asyncio.sleep(0.01)
        return it

    waits = RunnableLambda(nap)
    config = {"max_concurrency": ITEMS}
    took = best(lambda: asyncio.run(waits.abatch(list(range(ITEMS)), config)))
    tell("1,000 items that wait 10 ms, langchain-core", took * 1e3, "ms")


def langgraph():
    from typing import TypedDict

    from langgraph.graph import END, START, StateGraph

    class State(TypedDict):
        text: str

    stages = min(STAGES, 100)
    graph = StateGraph(State)
    for idx in range(stages):
        graph.add_node(f"n{idx}", lambda state: {"text": state["text"].upper()})
        graph.add_edge(START if idx == 0 else f"n{idx - 1}", f"n{idx}")
    graph.add_edge(f"n{stages - 1}", END)
    chain = graph.compile()
    took = best(lambda: chain.invoke({"text": "a b"}, {"recursion_limit": stages + 10}))
    tell("a stage of a chain of 100, langgraph", took / stages * 1e6, "µs")


def haystack():
    from haystack import Pipeline, component

    @component
    class Upper:
        @component.output_types(text=str)
        def run(self, text: str):
            return {"text": text.upper()}

    stages = min(STAGES, 100)
    pipeline = Pipeline()
    for idx in range(stages):
        pipeline.add_component(f"n{idx}", Upper())
        if idx:
            pipeline.connect(f"n{idx - 1}.text", f"n{idx}.text")
    took = best(lambda: pipeline.run({"n0": {"text": "a b"}}))
    tell("a stage of a chain of 100, haystack-ai", took / stages * 1e6, "µs")


def hamilton():
    from hamilton import ad_hoc_utils, driver

    stages = min(STAGES, 100)
    names = {}
    for idx in range(stages):
        code = f"def n{idx}(n{idx - 1}: str) -> str:\n    return n{idx - 1}.upper()"
        exec(code if idx else "def n0(text: str) -> str:\n    return text.upper()", names)
    nodes = [names[f"n{idx}"] for idx in range(stages)]
    module = ad_hoc_utils.create_temporary_module(*nodes, module_name="nodes")
    chain = driver.Builder().with_modules(module).build()
    last = [f"n{stages - 1}"]
    took = best(lambda: chain.execute(last, inputs={"text": "a b"}))
    tell("a stage of a chain of 100, sf-hamilton", took / stages * 1e6, "µs")


def dask():
    from dask import delayed, get

    value = delayed("a b")
    for _ in range(STAGES):
        value = delayed(upper)(value)
    took = best(lambda: value.compute(scheduler=get))
    tell("a stage of a chain of 1,000, dask", took / STAGES * 1e6, "µs")


def bm25s():
    import random

    import bm25s as bm25

    dice = random.Random(7)

    def word():
        return f"w{dice.randrange(dice.randrange(1, 30_000))}"

    count = 100 if SMALL else 100_000
    docs = [" ".join(word() for _ in range(dice.randrange(40, 80))) for _ in range(count)]
    start = time.perf_counter()
    index = bm25.BM25()
    index.index(bm25.tokenize(docs, show_progress=False), show_progress=False)
    tell("indexing 100,000 documents, bm25s", (time.perf_counter() - start) * 1e3, "ms")
    took = []
    for _ in range(10 if SMALL else 300):
        start = time.perf_counter()
        query = bm25.tokenize(f"{word()} {word()}", show_progress=False)
        index.retrieve(query, k=10, show_progress=False)
        took.append(time.perf_counter() - start)
    tell("a query over 100,000 documents, bm25s, p50", sorted(took)[len(took) // 2] * 1e3, "ms")


for peer in [asyncio_waits, lcel, langgraph, haystack, hamilton, dask, bm25s]:
    try:
        peer()
    except Exception as err:  # A missing or changed library does not hide the others.
        print(peer.__name__, repr(err)[:120], sep="\t", flush=True)
