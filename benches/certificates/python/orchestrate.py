"""LangGraph's sample of an orchestrator: a plan, a worker for each section, and a report."""

import operator
import os
from typing import Annotated, TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from pydantic import BaseModel

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class Sections(BaseModel):
    titles: list[str]


class State(TypedDict, total=False):
    topic: str
    titles: list[str]
    written: Annotated[list[str], operator.add]
    report: str


def plan(state):
    asked = f"Plan the sections of a report about {state['topic']}."
    return {"titles": llm.with_structured_output(Sections).invoke(asked).titles}


def section(state):
    return {"written": [llm.invoke(f"Write the section {state['title']}.").content]}


def report(state):
    return {"report": "\n\n".join(state["written"])}


def workers(state):
    return [Send("section", {"title": it}) for it in state["titles"]]


graph = StateGraph(State)
graph.add_node("plan", plan)
graph.add_node("section", section)
graph.add_node("report", report)
graph.add_edge(START, "plan")
graph.add_conditional_edges("plan", workers, ["section"])
graph.add_edge("section", "report")
graph.add_edge("report", END)
app = graph.compile()
print(app.invoke({"topic": "the history of ledgers"})["report"])
