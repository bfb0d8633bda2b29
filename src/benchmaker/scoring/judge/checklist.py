"""A judge's preparation for a case: a checklist, or a reference."""

from collections.abc import Iterator
from typing import cast

from benchmaker.scoring.judge.criteria import JudgeCriterion
from benchmaker.scoring.judge.members import Members
from benchmaker.scoring.judge.reply import UnparsedReply
from benchmaker.scoring.judge.reply_parser import read_objects

MOST_ITEMS = 30
LONGEST_ITEM = 2_000


def parse_checklist(
    text: str, *, nonce: str, structured: bool = False
) -> tuple[JudgeCriterion, ...] | UnparsedReply:
    """The checklist that a judge made for a case, by ``checklist_making_prompt``.

    >>> parse_checklist('{"items": ["Is Paris named?"], "nonce": "5f0c"}', nonce="5f0c")
    (JudgeCriterion(id='1', question='Is Paris named?', weight=1.0, levels={}),)
    """
    held = read_objects(text, nonce=nonce, structured=structured)
    if isinstance(held, UnparsedReply):
        return held
    if nonce and not held.carried:
        return UnparsedReply("no object that carries the nonce can be read")
    lists = [it.value.get("items") for it in held.carried or held.others if not it.value.twice]
    if not lists or any(it != lists[0] for it in lists):
        return UnparsedReply("there is not exactly one list of 'items'")
    return _checklist(lists[0])


def parse_reference(text: str) -> str | UnparsedReply:
    """Return the reference written by a judge, right or false: the reply unchanged, not empty."""
    return text.strip() or UnparsedReply("the reply is empty")


def _checklist(items: object) -> tuple[JudgeCriterion, ...] | UnparsedReply:
    if not isinstance(items, list) or not 0 < len(items) <= MOST_ITEMS:
        return UnparsedReply(f"'items' must be a list of 1 to {MOST_ITEMS} questions")
    questions = list(_questions(cast("list[object]", items)))
    if not all(questions):
        return UnparsedReply("each of 'items' must be a question of at most 2,000 characters")
    return tuple(JudgeCriterion(str(at), question) for at, question in enumerate(questions, 1))


def _questions(items: list[object]) -> Iterator[str]:
    """Each item as its question, empty where it is none."""
    for item in items:
        text = item.text("question") if isinstance(item, Members) else item
        is_question = isinstance(text, str) and len(text) <= LONGEST_ITEM
        yield text.strip() if is_question and isinstance(text, str) else ""
