"""Two nodes in a line, with a limit: the shape of the example that comes with costwright."""

import os
from typing import TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class State(TypedDict, total=False):
    question: str
    found: str
    answer: str


def retrieve(state):
    return {"found": llm.invoke(f"List what is known about: {state['question']}").content}


def answer(state):
    return {"answer": llm.invoke(f"Answer {state['question']} from: {state['found']}").content}


graph = StateGraph(State)
graph.add_node("retrieve", retrieve)
graph.add_node("answer", answer)
graph.add_edge(START, "retrieve")
graph.add_edge("retrieve", "answer")
graph.add_edge("answer", END)
app = graph.compile()
print(app.invoke({"question": "What is a ledger?"}, config={"recursion_limit": 50})["answer"])
