"""One call for every item of a list, by `Send`."""

import operator
import os
from typing import Annotated, TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class State(TypedDict, total=False):
    subjects: list[str]
    jokes: Annotated[list[str], operator.add]
    best: str


def joke(state):
    return {"jokes": [llm.invoke(f"Write a joke about {state['subject']}.").content]}


def best(state):
    listed = "\n".join(state["jokes"])
    return {"best": llm.invoke(f"Which of these jokes is the best?\n{listed}").content}


def each(state):
    return [Send("joke", {"subject": it}) for it in state["subjects"]]


graph = StateGraph(State)
graph.add_node("joke", joke)
graph.add_node("best", best)
graph.add_conditional_edges(START, each, ["joke"])
graph.add_edge("joke", "best")
graph.add_edge("best", END)
print(graph.compile().invoke({"subjects": ["tea", "ink", "milk"]})["best"])
