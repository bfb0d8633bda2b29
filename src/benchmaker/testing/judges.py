"""Judges for tests, with scripted replies in the requested form."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from benchmaker.providers.base import Request
from benchmaker.scoring.base import Question, Reply
from benchmaker.spec import Message

_FENCED = re.compile(
    r"<<<(?P<label>[A-Z ]+) (?P<nonce>[0-9a-f]{16})>>>\n(?P<text>.*?)\n<<<END", re.DOTALL
)

Said = dict[str, Any]
"""A judge's reply without the nonce: ``{"score": 8}``, ``{"verdict": "A"}``."""


def prompt_parts(messages: Sequence[Message]) -> dict[str, str]:
    """Return the marked texts shown to a judge, by label, and the ``nonce`` to repeat."""
    found: dict[str, str] = {}
    for turn in messages:
        for part in _FENCED.finditer(turn.content):
            found[part["label"].lower()] = part["text"]
            found["nonce"] = part["nonce"]
    return found


def judge_script(
    judge: Callable[[dict[str, str]], Said | str | Exception],
) -> Callable[[Request], str | Exception]:
    """Return a script for :class:`~benchmaker.providers.scripted.Scripted` that acts as a judge.

    ``judge`` gets the texts shown (``question``, ``answer``, …) and returns the members of its
    reply, to which the nonce is added, a text that is replied unchanged, or an exception to raise.
    """

    def reply(request: Request) -> str | Exception:
        parts = prompt_parts(request.messages)
        said = judge(parts)
        return said if isinstance(said, Exception) else _reply_text(said, parts)

    return reply


class ScriptedAsk:
    """An :class:`~benchmaker.scoring.base.Ask` without an engine; records ``questions``.

    ``judge`` gets the question and its marked texts; an exception that it returns is raised.
    """

    def __init__(self, judge: Callable[[Question, dict[str, str]], Said | str | Exception]) -> None:
        self._judge = judge
        self.questions: list[Question] = []

    async def ask(self, question: Question) -> Reply:
        """Return the scripted reply."""
        self.questions.append(question)
        parts = prompt_parts(question.messages)
        said = self._judge(question, parts)
        if isinstance(said, Exception):
            raise said
        texts = [turn.content.replace(question.nonce or "\0", "") for turn in question.messages]
        place = [question.model, question.repeat, question.order, question.attempt, *texts]
        key = hashlib.sha256(json.dumps(place).encode()).hexdigest()
        return Reply(text=_reply_text(said, parts), key=key, nonce=question.nonce, attempts=1)


def _reply_text(said: Said | str, parts: dict[str, str]) -> str:
    return said if isinstance(said, str) else json.dumps({**said, "nonce": parts.get("nonce", "")})
