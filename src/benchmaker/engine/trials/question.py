"""The request for a case: its messages, their hash, and the request to each model."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from benchmaker.providers.base import Request
from benchmaker.record import Run
from benchmaker.spec import Case, Message, Parameters, Suite, Tool
from benchmaker.spec.suites.rendering import conversation, render_tools

if TYPE_CHECKING:
    from benchmaker.engine.trials.tool_box import ToolBox


def hash_of(messages: tuple[Message, ...]) -> str:
    """The first 16 hex digits of SHA-256 over the messages as JSON.

    >>> hash_of((Message(role="user", content="2 + 2?"),))
    '13b5c0a52a1b8734'
    """
    turns = [{"role": turn.role, "content": turn.content} for turn in messages]
    return hashlib.sha256(_encode_turns(turns)).hexdigest()[:16]


def _encode_turns(turns: list[dict[str, str]]) -> bytes:
    try:
        return msgspec.json.encode(turns)
    except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 can't say
        return json.dumps(turns, separators=(",", ":")).encode()


class CaseQuestion(NamedTuple):
    """One case of one run, ready for any model.

    A case with ``tools`` has up to ``max_steps`` requests.
    """

    case_id: str
    number: int
    messages: tuple[Message, ...]
    messages_hash: str
    parameters: Parameters
    tools: tuple[Tool, ...] = ()
    max_steps: int = 1

    def request_for(self, model: str, *, stream: bool = True) -> Request:
        """The request that puts it to ``model``."""
        return Request(
            model=model,
            case_id=self.case_id,
            run=self.number,
            messages=self.messages,
            parameters=self.parameters,
            stream=stream,
            tools=self.tools,
        )


class SentMessages(NamedTuple):
    """The messages of a case with a prompt, and their hash."""

    messages: tuple[Message, ...]
    messages_hash: str


_REMEMBERED = 256


class Questions:
    """Makes the questions of a run; the setups of one case come at about the same time.

    Setups with the same prompt share the messages.
    """

    def __init__(self, run: Run, suite: Suite) -> None:
        self._number = run.number
        self._suite = suite
        self._setups = {name: run.setup(name) for name in run.models}
        shared = Parameters.of_record(run.parameters)
        self._parameters = {
            name: Parameters.of_record(setup.parameters) if run.setups else shared
            for name, setup in self._setups.items()
        }
        self._made: dict[tuple[str, str | None], SentMessages] = {}

    def question_for(self, case: Case, setup: str) -> CaseQuestion:
        """The question of this case with the setup of that name."""
        sent = self._messages(case, self._setups[setup].prompt_id)
        made = CaseQuestion(
            case.id, self._number, sent.messages, sent.messages_hash, self._parameters[setup]
        )
        if not case.tools:
            return made
        tools, most = render_tools(self._suite, case), self._suite.most_steps(case)
        return made._replace(tools=tools, max_steps=most)

    @cached_property
    def tool_box(self) -> "ToolBox":
        """Carries out calls of the suite's tools."""
        from benchmaker.engine.trials.tool_box import ToolBox  # noqa: PLC0415  few suites have tools

        return ToolBox(self._suite)

    def _messages(self, case: Case, prompt_id: str | None) -> SentMessages:
        sent = self._made.get((case.id, prompt_id))
        if sent is None:
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            messages = conversation(self._suite, case, prompt_id)
            sent = SentMessages(messages, hash_of(messages))
            self._made[case.id, prompt_id] = sent
        return sent


def models_of(run: Run) -> dict[str, str]:
    """Return the model of each setup, by the setup's name; a stopped model stops all of its."""
    return {name: run.setup(name).model for name in run.models}


def setups_with(setup: str, models: Mapping[str, str]) -> list[str]:
    """Return the setup and all others with its model; ``models`` gives the model of each.

    >>> setups_with("a · low", {"a · low": "a", "a · high": "a", "b · low": "b"})
    ['a · low', 'a · high']
    """
    model = models.get(setup)
    return [one for one, its in models.items() if its == model] if model else [setup]
