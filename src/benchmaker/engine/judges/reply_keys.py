"""Keys of questions to judges, under which their replies are stored and found again."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from benchmaker.engine.judges.replies import JudgmentContext
from benchmaker.providers.recorded_judge import RecordedJudge
from benchmaker.record import Judgment
from benchmaker.scoring.base import Question
from benchmaker.store import Store

SCHEMA_VERSION = "1"  # of what the keys are made of; it changes whenever that does

_NONCE_PLACE = "{nonce}"
_encode = msgspec.json.Encoder(order="deterministic").encode


def find_reply(
    store: Store, question: Question, description: dict[str, Any], about: JudgmentContext
) -> Judgment | None:
    """Return the latest stored reply to the question in its run, with or without a schema."""
    found = (
        store.judgment(key, run_id=about.run_id)
        for variant in (question, replace(question, schema=None))
        for key in question_keys(variant, description, about)
    )
    return next((it for it in found if it is not None), None)


def question_keys(
    question: Question, description: dict[str, Any], about: JudgmentContext
) -> Iterator[str]:
    """Yield the possible keys of a stored reply, the current form first.

    Keys of recorded replies formerly included the file's name.
    """
    yield question_key(question, description, about)
    if description.get("kind") == RecordedJudge.kind:
        yield _key(question, description, about, to=description)


def question_key(question: Question, description: dict[str, Any], about: JudgmentContext) -> str:
    """Return the SHA-256 of everything sent and its target, with a nonce placeholder; 64 digits.

    Of recorded replies, where nothing is sent, whose answer it is counts as well, and the file
    does not.
    """
    routes = description.get("models")
    route = routes.get(question.model) if isinstance(routes, dict) else description
    if description.get("kind") == RecordedJudge.kind:
        route = {"kind": RecordedJudge.kind}
    return _key(question, description, about, to=route or {})


def _key(
    question: Question, description: dict[str, Any], about: JudgmentContext, *, to: dict[str, Any]
) -> str:
    texts = [[turn.role, _mask_nonce(turn.content, question.nonce)] for turn in question.messages]
    sent = {
        "version": SCHEMA_VERSION,
        "to": {name: value for name, value in to.items() if name != "key"},
        "seed": description.get("seed"),
        "model": question.model,
        "messages": texts,
        "parameters": question.parameters.model_dump(),
        "schema": question.schema,
        "repeat": question.repeat,
        "order": question.order,
        "attempt": question.attempt,
        "of": [about.model, question.case_id]
        if description.get("kind") == RecordedJudge.kind
        else None,
    }
    if question.pictures:
        sent["pictures"] = [it.sha256 for it in question.pictures]
    try:
        return hashlib.sha256(_encode(sent)).hexdigest()
    except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 can't say
        return hashlib.sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()


def _mask_nonce(text: str, nonce: str) -> str:
    return text.replace(nonce, _NONCE_PLACE) if nonce else text
