"""Unguessable addresses of previews that do not reveal the page's model."""

import secrets
from collections import OrderedDict
from threading import Lock
from typing import NamedTuple


class PreviewOf(NamedTuple):
    """The run, prompt and model of an answer; ``mapping`` as in :func:`assemble`.

    ``team`` is the team of the store; empty without accounts.
    """

    run_id: str
    case_id: str
    model: str
    mapping: bool = True
    team: str = ""


_MOST = 10_000
_BYTES = 16


class Tickets:
    """Gives each page one ticket of 128 random bits; the oldest are dropped beyond a limit.

    After a restart of the server a page gets another ticket.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._pages: OrderedDict[str, PreviewOf] = OrderedDict()
        self._given: dict[PreviewOf, str] = {}

    def give(self, page: PreviewOf) -> str:
        """The page's ticket."""
        with self._lock:
            ticket = self._given.get(page)
            if ticket is None:
                ticket = self._given[page] = secrets.token_urlsafe(_BYTES)
                self._pages[ticket] = page
                self._forget()
            self._pages.move_to_end(ticket)
            return ticket

    def find(self, ticket: str) -> PreviewOf | None:
        """Return the page of a ticket; None for an unknown or dropped one."""
        with self._lock:
            return self._pages.get(ticket)

    def of_team(self, team: str) -> "TeamTickets":
        """The same, for the pages of one team."""
        return TeamTickets(self, team)

    def _forget(self) -> None:
        while len(self._pages) > self._most:
            _, page = self._pages.popitem(last=False)
            del self._given[page]


class TeamTickets:
    """The tickets of one team's pages, kept among those of all teams."""

    def __init__(self, every: Tickets, team: str) -> None:
        self._every = every
        self._team = team

    def give(self, page: PreviewOf) -> str:
        """Return the page's ticket, which does not reveal the team."""
        return self._every.give(page._replace(team=self._team))

    def find(self, ticket: str) -> PreviewOf | None:
        """The page of a ticket of this team; None for any other."""
        page = self._every.find(ticket)
        return page if page is not None and page.team == self._team else None
