"""Errors in the words of pages: no path of the server, no command of a terminal."""

import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from benchmaker.report.sentences.sentence import capitalise
from benchmaker.web.page_list import NavigationItem

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


def onward_of(path: str, navigation: Iterable[NavigationItem]) -> Onward | None:
    """The area of the navigation that an address is in; None at its own page and elsewhere."""
    area = {"/series": "/runs", "/compare": "/runs"}.get(f"/{path.split('/')[1]}", path)
    for one in navigation:
        if area != "/" and one.href != "/" and area.startswith(one.href) and path != one.href:
            return Onward(one.name, one.href)
    return None


_NUMBERED = re.compile(r"(?P<list>/runs/[^/]+)(?P<cases>/cases)?(?:/trials)?/[^/]+")


def list_above(path: str) -> Onward | None:
    """Return the list of cases or the results that a numbered address is below; None elsewhere.

    >>> list_above("/runs/r1/cases/tax-total")
    Onward(name='the cases of the run', href='/runs/r1/cases')
    """
    found = _NUMBERED.fullmatch(path)
    if found is None:
        return None
    if found["cases"]:
        return Onward("the cases of the run", f"{found['list']}/cases")
    return Onward("the results of the run", found["list"])


_ABSENT = re.compile(r"There (?:is|are) no (?P<thing>[^.;]+?)(?: here)?\.")
_QUOTED = re.compile(r"(?<!\w)'([^']*)'(?!\w)")
_LONGEST_TITLE = 80
_TITLES = {
    403: "Access denied",
    404: "Not found",
    409: "Conflict",
    413: "Upload too large",
    422: "Invalid request",
    424: "Missing prerequisite",
    500: "Internal error",
    503: "Service unavailable",
}


def fault_title(message: str) -> str:
    """Return the fault as the title of a page; empty if it is too long for one.

    >>> fault_title("There is no run 'nope'."), fault_title("Wrong value. Correct it.")
    ('No run “nope”', '')
    """
    absent = _ABSENT.fullmatch(message)
    title = f"No {absent['thing']}" if absent else message.rstrip(".")
    if len(title) > _LONGEST_TITLE or ". " in title:
        return ""
    return _QUOTED.sub(r"“\1”", title)


def status_title(status: int) -> str:
    """Return the title of a page whose fault is too long for one.

    >>> status_title(409), status_title(507)
    ('Conflict', 'Request failed')
    """
    return _TITLES.get(status, "Request failed")
