"""A draft that a person approves before it goes on."""

import os
from typing import TypedDict

from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class State(TypedDict, total=False):
    draft: str
    letter: str


def draft(state):
    return {"draft": llm.invoke("Draft a letter about a late delivery.").content}


def approve(state):
    if interrupt(state["draft"]) != "yes":
        raise PermissionError("not approved")
    return {}


def polish(state):
    return {"letter": llm.invoke(f"Polish this letter: {state['draft']}").content}


graph = StateGraph(State)
graph.add_node("draft", draft)
graph.add_node("approve", approve)
graph.add_node("polish", polish)
graph.add_edge(START, "draft")
graph.add_edge("draft", "approve")
graph.add_edge("approve", "polish")
graph.add_edge("polish", END)
app = graph.compile(checkpointer=InMemorySaver())
thread = {"configurable": {"thread_id": "1"}}
app.invoke({}, config=thread)
print(app.invoke(Command(resume="yes"), config=thread)["letter"])
