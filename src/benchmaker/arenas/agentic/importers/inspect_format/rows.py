"""The fields of Inspect's logs that are read; everything else is skipped."""

from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose


class Usage(msgspec.Struct):
    """Tokens of one answer, or of a model in a whole sample."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None
    input_tokens_cache_read: Count | None = None
    input_tokens_cache_write: Count | None = None
    reasoning_tokens: Count | None = None
    total_cost: Amount | None = None


class Part(msgspec.Struct):
    """A part of a message: text, or reasoning unless it is redacted."""

    type: str | None = None
    text: str | None = None
    reasoning: str | None = None
    redacted: bool | None = None


class Called(msgspec.Struct):
    """A tool call in a message."""

    id: str | None = None
    function: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"")


class Message(msgspec.Struct):
    """A message of the conversation."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"")
    tool_calls: list[Called] | None = None
    tool_call_id: str | None = None
    function: str | None = None
    error: Any = None  # None, or an object


class Choice(msgspec.Struct):
    """One of the answers to a request."""

    message: Message | None = None


class Output(msgspec.Struct):
    """The output of a model."""

    model: str | None = None
    usage: Usage | None = None
    time: Amount | None = None
    choices: list[Choice] | None = None

    @property
    def content(self) -> msgspec.Raw:
        """The content of the first choice."""
        first = self.choices[0].message if self.choices else None
        return first.content if first else msgspec.Raw(b"")


class Event(msgspec.Struct):
    """One thing that happened in a sample."""

    event: str | None = None
    uuid: str | None = None
    timestamp: Any = None  # a text, or a number in some
    model: str | None = None
    output: Output | None = None
    cache: str | None = None
    id: Any = None  # a text, or a number in some
    function: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"")
    result: msgspec.Raw = msgspec.Raw(b"")
    error: Any = None  # None, or an object


class Score(msgspec.Struct):
    """The result of a scorer."""

    value: Any = None  # a letter, a number, a flag, a list


class Limit(msgspec.Struct):
    """The limit that ended a sample."""

    type: str | None = None


class Transcript(msgspec.Struct):
    """The events in logs of 2024."""

    events: list[msgspec.Raw] | None = None


class Sample(msgspec.Struct):
    """One sample."""

    id: Any = None  # a text or a number
    input: msgspec.Raw = msgspec.Raw(b"")
    epoch: int | None = None
    uuid: str | None = None
    scores: dict[str, Score] | None = None
    events: list[msgspec.Raw] | None = None
    transcript: Transcript | None = None
    messages: list[msgspec.Raw] | None = None
    output: Output | None = None
    model_usage: dict[str, Usage] | None = None
    total_time: Amount | None = None
    working_time: Amount | None = None
    error: Any = None  # None, or an object
    limit: Limit | None = None


class Eval(msgspec.Struct):
    """The evaluated task and model."""

    eval_id: str | None = None
    run_id: str | None = None
    created: str | None = None
    task: str | None = None
    task_id: str | None = None
    model: str | None = None
    solver: str | None = None
    packages: dict[str, str] | None = None


class Log(msgspec.Struct):
    """A whole log, or the header of one."""

    status: str | None = None
    eval: Eval | None = None
    samples: list[msgspec.Raw] | None = None


def name_of(run: Eval) -> str:
    """Return the identity of a log; those from before 2025 have no id."""
    parts = (run.run_id, run.task_id, run.created)
    return run.eval_id or ":".join(part for part in parts if part)


LOGS = Loose(Log)
SAMPLES = Loose(Sample)
EVENTS = Loose(Event)
MESSAGES = Loose(Message)
PARTS = Loose(list[Part])
TURNS = Loose(list[Message])
