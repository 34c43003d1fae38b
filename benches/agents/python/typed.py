from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.tools import tool
from pydantic import BaseModel
from common import model
import os


class answer(BaseModel):
    value: int


@tool
def count(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())


agent = create_agent(model(), [count], response_format=ToolStrategy(answer))
question = {"messages": [{"role": "user", "content": os.environ["QUESTION"]}]}
print(agent.invoke(question, {"recursion_limit": 200})["structured_response"].value)
