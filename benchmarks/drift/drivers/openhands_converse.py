"""A conversation of OpenHands' SDK, kept where its command line tool keeps them.

The SDK takes the next prompt that the terminal prints for the end of a command. On a busy machine
the prompt of an earlier command may come late, and the SDK then records an empty output and exit
code 0. So the conversation starts when the terminal returns the output of commands, and pauses
after each command until the terminal is quiet.
"""

import time
from pathlib import Path

from openhands.sdk import LLM, Agent, Conversation, Event, Tool
from openhands.sdk.event import ObservationEvent
from openhands.tools.terminal import TerminalAction, TerminalTool

TRIES = 60
PAUSE_S = 4


def pause_after_command(event: Event) -> None:
    """Let the terminal print its prompt before the next command."""
    if isinstance(event, ObservationEvent):
        time.sleep(PAUSE_S)


def wait_for_terminal() -> None:
    """Repeat a command until its own output is returned."""
    for number in range(1000, 1000 + TRIES):
        time.sleep(PAUSE_S)
        action = TerminalAction(command=f"echo answer $((1 + {number}))")
        if f"answer {1 + number}" in conversation.execute_tool(TerminalTool.name, action).text:
            break
    time.sleep(PAUSE_S)


llm = LLM(model="openai/scripted", base_url="{base}", api_key="{key}", num_retries=0)
conversation = Conversation(
    agent=Agent(llm=llm, tools=[Tool(name=TerminalTool.name)]),
    workspace=str(Path.cwd()),
    persistence_dir=str(Path.home() / ".openhands" / "conversations"),
    callbacks=[pause_after_command],
)
conversation.send_message("{prompt}")
wait_for_terminal()
conversation.run()
conversation.close()
