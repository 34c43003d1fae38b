"""LangGraph's sample of a chain of prompts: a joke is improved if it lacks a point."""

import os
from typing import TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class State(TypedDict, total=False):
    topic: str
    joke: str


def write(state):
    return {"joke": llm.invoke(f"Write a short joke about {state['topic']}.").content}


def improve(state):
    return {"joke": llm.invoke(f"Make this joke funnier with a play on words: {state['joke']}").content}


def polish(state):
    return {"joke": llm.invoke(f"Add a surprising end to this joke: {state['joke']}").content}


def has_point(state):
    return "yes" if "!" in state["joke"] or "?" in state["joke"] else "no"


graph = StateGraph(State)
graph.add_node("write", write)
graph.add_node("improve", improve)
graph.add_node("polish", polish)
graph.add_edge(START, "write")
graph.add_conditional_edges("write", has_point, {"no": "improve", "yes": END})
graph.add_edge("improve", "polish")
graph.add_edge("polish", END)
app = graph.compile()
print(app.invoke({"topic": "cats"})["joke"])
