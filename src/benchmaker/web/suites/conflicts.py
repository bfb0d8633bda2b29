"""Two editors of one suite: the second learns what the first one stored, and loses nothing."""

from dataclasses import dataclass

from benchmaker.errors import Conflict
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.store.suites.suite_pages import position_of, versions
from benchmaker.web.suites.changes import ChangedCase, Changes, changes


@dataclass(frozen=True, slots=True)
class Overtaken:
    """A version that was stored while somebody edited an older one, and what is new in it."""

    base: Suite
    newest: Suite
    made: Changes

    def of_case(self, case_id: str) -> ChangedCase | None:
        """What became of a case, where it was changed."""
        return next((one for one in self.made.changed if one.id == case_id), None)

    def number_of(self, store: Store, case_id: str) -> int:
        """The place of a case in the newest version, from 1; 0 where it is gone."""
        place = position_of(store.database, self.newest.content_hash, case_id)
        return 0 if place is None else place + 1


def newest_of(store: Store, suite: Suite) -> str:
    """The hash of the version of a suite that was stored last."""
    found = versions(store.database, suite.name, limit=1)
    return found[0].suite.hash if found else suite.content_hash


def overtaken(store: Store, base: Suite, known: str, wanted: Suite) -> Overtaken | None:
    """The version that was stored since the suite was read; None where there is none.

    ``known`` is the version that was the newest one then, ``base`` where it is empty. A version
    with the content that is ``wanted`` is in nobody's way.
    """
    newest = newest_of(store, base)
    if newest in {known or base.content_hash, wanted.content_hash}:
        return None
    found = store.suite(newest)
    return Overtaken(base, found, changes(store, base, found))


def refuse_overtaken(store: Store, base: Suite, known: str, wanted: Suite) -> None:
    """Refuse a change without a form where another version was stored meanwhile.

    Raises:
        Conflict: one was.
    """
    if found := overtaken(store, base, known, wanted):
        raise Conflict(
            f"another version of {base.name!r} was stored meanwhile, and nothing was changed.",
            hint=f"See it: /suites/{found.newest.content_hash}",
        )
