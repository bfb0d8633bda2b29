"""The request for a case: its messages, their hash, and the request to each model."""

import hashlib
import json
from dataclasses import dataclass

import msgspec

from benchmaker.providers.base import Request
from benchmaker.record import Run
from benchmaker.spec import Case, Message, Parameters


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


@dataclass(frozen=True, slots=True)
class CaseQuestion:
    """One case of one run, ready for any model."""

    case_id: str
    number: int
    messages: tuple[Message, ...]
    messages_hash: str
    parameters: Parameters

    def request_for(self, model: str, *, stream: bool = True) -> Request:
        """The request that puts it to ``model``."""
        return Request(
            model=model,
            case_id=self.case_id,
            run=self.number,
            messages=self.messages,
            parameters=self.parameters,
            stream=stream,
        )


_REMEMBERED = 64


class Questions:
    """Makes the questions of a run; the models of one case come at about the same time."""

    def __init__(self, run: Run) -> None:
        self._number = run.number
        self._system_prompt = run.system_prompt
        self._parameters = Parameters.of_record(run.parameters)
        self._made: dict[str, CaseQuestion] = {}

    def question_for(self, case: Case) -> CaseQuestion:
        """The question of this case."""
        question = self._made.get(case.id)
        if question is None:
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            question = self._made[case.id] = self._make_question(case)
        return question

    def _make_question(self, case: Case) -> CaseQuestion:
        messages = case.conversation(self._system_prompt)
        return CaseQuestion(case.id, self._number, messages, hash_of(messages), self._parameters)
