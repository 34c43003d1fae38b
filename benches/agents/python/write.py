import os
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from common import model


@tool
def note(text: str) -> str:
    """Adds a line to the notes."""
    with open("notes.txt", "a") as file:
        file.write(text + "\n")
    return "notes.txt"


with SqliteSaver.from_conn_string("runs.sqlite") as saver:
    asks = HumanInTheLoopMiddleware(interrupt_on={"note": True})
    agent = create_agent(model(), [note], middleware=[asks], checkpointer=saver)
    config = {"recursion_limit": 400, "configurable": {"thread_id": "1"}}
    known = agent.get_state(config)
    question = {"messages": [{"role": "user", "content": os.environ["QUESTION"]}]}
    state = agent.invoke(None if known.values else question, config, durability="sync")
    while "__interrupt__" in state:
        for it in state["__interrupt__"][0].value["action_requests"]:
            print(f"Let the model call {it['name']}({it['args']})? [y/N] ", end="", flush=True)
        yes = input() in ("y", "yes")
        decision = {"type": "approve"} if yes else {"type": "reject", "message": "no"}
        state = agent.invoke(Command(resume={"decisions": [decision]}), config, durability="sync")
    print(state["messages"][-1].content)
