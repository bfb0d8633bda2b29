"""What is sent for a case: its messages, their hash, and the request to each model."""

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
    return hashlib.sha256(_encoded(turns)).hexdigest()[:16]


def _encoded(turns: list[dict[str, str]]) -> bytes:
    try:
        return msgspec.json.encode(turns)
    except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 can't say
        return json.dumps(turns, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Question:
    """One case of one run, ready to be put to any model."""

    case_id: str
    number: int
    messages: tuple[Message, ...]
    messages_hash: str
    parameters: Parameters

    def to(self, model: str) -> Request:
        """The request that puts it to ``model``."""
        return Request(
            model=model,
            case_id=self.case_id,
            run=self.number,
            messages=self.messages,
            parameters=self.parameters,
        )


class Questions:
    """Makes the questions of a run; the models of one case come in turn and share one."""

    def __init__(self, run: Run) -> None:
        self._number = run.number
        self._system_prompt = run.system_prompt
        self._parameters = Parameters.model_validate(run.parameters)
        self._case: Case | None = None
        self._question: Question | None = None

    def of(self, case: Case) -> Question:
        """The question of this case."""
        if self._question is None or self._case is not case:
            self._case, self._question = case, self._made(case)
        return self._question

    def _made(self, case: Case) -> Question:
        messages = case.conversation(self._system_prompt)
        return Question(case.id, self._number, messages, hash_of(messages), self._parameters)
