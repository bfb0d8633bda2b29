"""A task of Inspect with one sample: an agent with a shell, and the prompt of the script."""

from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.tool import bash


@task
def drift() -> Task:
    agent = react(tools=[bash(timeout=30)], submit=False)
    return Task(dataset=[Sample(input="{prompt}", id="one")], solver=agent, sandbox="local")
