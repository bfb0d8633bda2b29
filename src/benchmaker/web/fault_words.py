"""Errors in the words of pages: no path of the server, no command of a terminal."""

import re
from pathlib import PurePath
from typing import NamedTuple

from benchmaker.report.sentences.sentence import capitalise
from benchmaker.web.rendering import NAVIGATION

_COMMAND = re.compile(r"(?:^|(?<=[.;]))[^.;]*\bbenchmaker [a-z-]+[^.;]*[.;]?")
_DATABASES = frozenset({"", ".db", ".sqlite"})


class Onward(NamedTuple):
    """The page to continue with."""

    name: str
    href: str


def fault_location(where: str) -> str:
    """Return the place of a fault: only the name of a server's file, nothing of its store.

    >>> fault_location("/srv/uploads/3f2d/arith.json:3:2")
    'arith.json:3:2'
    >>> fault_location("/srv/data/benchmaker.db")
    ''
    >>> fault_location("run-1, case 3"), fault_location("postgresql://db.example/bench")
    ('run-1, case 3', '')
    """
    if "://" in where:
        return ""
    if not where.startswith("/"):
        return where
    name = PurePath(where).name
    return "" if PurePath(name.partition(":")[0]).suffix in _DATABASES else name


def advice_of(hint: str) -> str:
    """Return the remedy without sentences that name a command.

    >>> advice_of("Choose another file. List them with: benchmaker plugins")
    'Choose another file.'
    """
    return _COMMAND.sub("", hint).strip()


def message_of(message: str, home: str) -> str:
    """Return the fault as a sentence, without the path of the data folder.

    >>> message_of("there is no run 'nope'; list all with: benchmaker runs", "/srv")
    "There is no run 'nope'."
    >>> message_of("openai/locked has no key", "/srv")
    'openai/locked has no key.'
    """
    text = advice_of(message.replace(home, "the data folder")) or message
    text = capitalise(text).rstrip(";: ")
    return text if text.endswith((".", "!", "?")) else f"{text}."


def onward_of(path: str) -> Onward | None:
    """The area of the navigation that an address is in; None at its own page and elsewhere."""
    area = {"/series": "/runs", "/compare": "/runs"}.get(f"/{path.split('/')[1]}", path)
    for one in NAVIGATION:
        if area != "/" and one.href != "/" and area.startswith(one.href) and path != one.href:
            return Onward(one.name, one.href)
    return None
