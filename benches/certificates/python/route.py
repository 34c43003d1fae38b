"""LangGraph's sample of a router: a first call chooses which one follows."""

import os
from typing import Literal, TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class Route(BaseModel):
    kind: Literal["poem", "story", "joke"]


class State(TypedDict, total=False):
    wish: str
    kind: str
    text: str


def route(state):
    chosen = llm.with_structured_output(Route).invoke(f"What is asked for here? {state['wish']}")
    return {"kind": chosen.kind}


def poem(state):
    return {"text": llm.invoke(f"Write a poem: {state['wish']}").content}


def story(state):
    return {"text": llm.invoke(f"Write a story: {state['wish']}").content}


def joke(state):
    return {"text": llm.invoke(f"Write a joke: {state['wish']}").content}


graph = StateGraph(State)
graph.add_node("route", route)
graph.add_node("poem", poem)
graph.add_node("story", story)
graph.add_node("joke", joke)
graph.add_edge(START, "route")
graph.add_conditional_edges("route", lambda it: it["kind"], {"poem": "poem", "story": "story", "joke": "joke"})
graph.add_edge("poem", END)
graph.add_edge("story", END)
graph.add_edge("joke", END)
app = graph.compile()
print(app.invoke({"wish": "something funny about cats"})["text"])
