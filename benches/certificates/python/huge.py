"""A loop with a limit that limits nothing."""

import os
from typing import TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class State(TypedDict, total=False):
    draft: str


def improve(state):
    return {"draft": llm.invoke(f"Improve: {state['draft']}").content}


graph = StateGraph(State)
graph.add_node("improve", improve)
graph.add_edge(START, "improve")
graph.add_conditional_edges("improve", lambda state: "improve", {"improve": "improve", "end": END})
app = graph.compile()
app.invoke({"draft": "A ledger is a book."}, config={"recursion_limit": 1_000_000})
