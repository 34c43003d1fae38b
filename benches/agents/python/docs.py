import pathlib
from langchain.agents import create_agent
from langchain_core.tools import tool
from common import ask, model

FILES = {it: it.read_text() for it in pathlib.Path("docs").glob("**/*.md")}


@tool
def find(words: str) -> list[str]:
    """Finds passages of the documentation."""
    wanted = set(words.lower().split())
    passages = (it for text in FILES.values() for it in text.split("\n\n"))
    return sorted(passages, key=lambda it: -len(wanted & set(it.lower().split())))[:3]


ask(create_agent(model(), [find]))
