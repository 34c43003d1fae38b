from langchain.agents import create_agent
from langchain_core.tools import tool
from common import ask, model


@tool
def count(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())


ask(create_agent(model(), [count]))
