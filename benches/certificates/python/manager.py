"""A manager that hands its task to others as it likes."""

from crewai import Agent, Crew, Process, Task

writer = Agent(role="writer", goal="write", backstory="", max_iter=5)
critic = Agent(role="critic", goal="find mistakes", backstory="", max_iter=5)
page = Task(description="Write a page about {topic}.", expected_output="a page")
crew = Crew(agents=[writer, critic], tasks=[page], process=Process.hierarchical, manager_llm="gpt-5.4-mini")
crew.kickoff(inputs={"topic": "ledgers"})
