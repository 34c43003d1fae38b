"""LangGraph's sample of parallel calls: three texts, then one of all of them."""

import os
from typing import TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


class State(TypedDict, total=False):
    topic: str
    joke: str
    story: str
    poem: str
    page: str


def joke(state):
    return {"joke": llm.invoke(f"Write a joke about {state['topic']}.").content}


def story(state):
    return {"story": llm.invoke(f"Write a story about {state['topic']}.").content}


def poem(state):
    return {"poem": llm.invoke(f"Write a poem about {state['topic']}.").content}


def join(state):
    return {"page": "\n\n".join([state["story"], state["joke"], state["poem"]])}


graph = StateGraph(State)
graph.add_node("joke", joke)
graph.add_node("story", story)
graph.add_node("poem", poem)
graph.add_node("join", join)
graph.add_edge(START, "joke")
graph.add_edge(START, "story")
graph.add_edge(START, "poem")
graph.add_edge("joke", "join")
graph.add_edge("story", "join")
graph.add_edge("poem", "join")
graph.add_edge("join", END)
app = graph.compile()
print(app.invoke({"topic": "cats"})["page"])
