from langchain.agents import create_agent
from langchain_core.tools import tool
from common import ask, model


@tool
def count(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())


@tool
def shout(text: str) -> str:
    """Makes a text upper case."""
    return text.upper()


@tool
def bare(text: str) -> str:
    """Removes the blanks around a text."""
    return text.strip()


ask(create_agent(model(), [count, shout, bare]))
