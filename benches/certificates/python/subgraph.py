"""A graph as a node of another one."""

import os
from typing import TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class State(TypedDict, total=False):
    topic: str
    outline: str
    text: str


def outline(state):
    return {"outline": llm.invoke(f"Outline a page about {state['topic']}.").content}


def write(state):
    return {"text": llm.invoke(f"Write the page: {state['outline']}").content}


def check(state):
    return {"text": llm.invoke(f"Correct the facts: {state['text']}").content}


inner = StateGraph(State)
inner.add_node("outline", outline)
inner.add_node("write", write)
inner.add_edge(START, "outline")
inner.add_edge("outline", "write")
inner.add_edge("write", END)

graph = StateGraph(State)
graph.add_node("draft", inner.compile())
graph.add_node("check", check)
graph.add_edge(START, "draft")
graph.add_edge("draft", "check")
graph.add_edge("check", END)
app = graph.compile()
print(app.invoke({"topic": "ledgers"}, config={"recursion_limit": 10})["text"])
