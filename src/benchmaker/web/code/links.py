"""Addresses within the Code Arena."""

from urllib.parse import urlencode

from benchmaker.arenas.code.duels import Duel
from benchmaker.web.code.subject import CodeRun

CODE = "/code"


def run_address(run_id: str) -> str:
    """The page of a run."""
    return f"{CODE}/{run_id}"


def duel_address(subject: CodeRun, duel: Duel, voter: str) -> str:
    """The page on which a pair is voted on; its numbers tell nobody who is who."""
    hidden = subject.hidden(duel.case_id, voter)
    words = {"a": hidden.index(duel.left) + 1, "b": hidden.index(duel.right) + 1}
    more = {} if voter == "local" else {"by": voter}
    number = subject.number(duel.case_id)
    return f"{run_address(subject.run.id)}/{number}?{urlencode(words | more)}"
