"""An agent whose limit of turns comes from elsewhere."""

import settings
from agents import Agent, Runner

agent = Agent(name="helper", instructions="Help.")
print(Runner.run_sync(agent, "What is a ledger?", max_turns=settings.turns).final_output)
