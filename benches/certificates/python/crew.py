"""Two tasks of one agent, each with a limit of turns."""

from crewai import Agent, Crew, Task

writer = Agent(role="writer", goal="write", backstory="", max_iter=5)
outline = Task(description="Outline a page about {topic}.", expected_output="an outline", agent=writer)
page = Task(description="Write the page.", expected_output="a page", agent=writer)
Crew(agents=[writer], tasks=[outline, page]).kickoff(inputs={"topic": "ledgers"})
