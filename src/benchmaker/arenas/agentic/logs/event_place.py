"""The location of an event: the fields common to all events, as keyword arguments."""

from typing import TypedDict


class EventPlace(TypedDict):
    """The moment, the agent, and the line of which file; see :mod:`events`."""

    at: float | None
    agent: str
    line: int
    file: int
