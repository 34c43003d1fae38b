"""LangGraph's sample of an evaluator: a joke is written again until it is good."""

import os
from typing import Literal, TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class Grade(BaseModel):
    grade: Literal["not funny", "funny"]


class State(TypedDict, total=False):
    topic: str
    joke: str
    grade: str


def write(state):
    earlier = f" It must be better than: {state['joke']}" if "joke" in state else ""
    return {"joke": llm.invoke(f"Write a joke about {state['topic']}.{earlier}").content}


def judge(state):
    graded = llm.with_structured_output(Grade).invoke(f"Grade this joke: {state['joke']}")
    return {"grade": graded.grade}


graph = StateGraph(State)
graph.add_node("write", write)
graph.add_node("judge", judge)
graph.add_edge(START, "write")
graph.add_edge("write", "judge")
graph.add_conditional_edges("judge", lambda it: it["grade"], {"not funny": "write", "funny": END})
app = graph.compile()
print(app.invoke({"topic": "cats"})["joke"])
