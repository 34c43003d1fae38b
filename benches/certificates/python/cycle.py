"""An agent and its tools, in a loop that only the default of the framework limits."""

import os

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

llm = ChatOpenAI(model="gpt-5.4-mini", max_tokens=200, max_retries=0, base_url=os.environ.get("OPENAI_BASE_URL"))


@tool
def count(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())


def agent(state):
    return {"messages": [llm.bind_tools([count]).invoke(state["messages"])]}


def goes_on(state):
    return "tools" if state["messages"][-1].tool_calls else "end"


graph = StateGraph(MessagesState)
graph.add_node("agent", agent)
graph.add_node("tools", ToolNode([count]))
graph.add_edge(START, "agent")
graph.add_conditional_edges("agent", goes_on, {"tools": "tools", "end": END})
graph.add_edge("tools", "agent")
app = graph.compile()
print(app.invoke({"messages": [("user", "How many words are in: a b c?")]})["messages"][-1].content)
