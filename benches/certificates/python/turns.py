"""An agent whose limit of turns is switched off."""

from agents import Agent, Runner

agent = Agent(name="helper", instructions="Help.")
print(Runner.run_sync(agent, "What is a ledger?", max_turns=None).final_output)
