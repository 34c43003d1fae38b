import os
from langchain_openai import ChatOpenAI


def model():
    return ChatOpenAI(model=os.environ["MODEL"], base_url=os.environ["OPENAI_BASE_URL"], api_key="a-key-of-the-benchmark")


def ask(agent, **config):
    config = {"recursion_limit": 200, **config}
    question = {"messages": [{"role": "user", "content": os.environ["QUESTION"]}]}
    print(agent.invoke(question, config)["messages"][-1].content)
