"""Two editors of one suite: the second learns what the first one stored, and loses nothing."""

from dataclasses import dataclass

from benchmaker.errors import Conflict
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.web.suites.changes import ChangedCase, SuiteChanges, changes
from benchmaker.web.suites.versions import check, keep_checked


@dataclass(frozen=True, slots=True)
class EditConflict:
    """A version that was stored while somebody edited an older one, and what is new in it."""

    base: Suite
    newest: Suite
    made: SuiteChanges

    def of_case(self, case_id: str) -> ChangedCase | None:
        """What became of a case, where it was changed."""
        return next((one for one in self.made.changed if one.id == case_id), None)

    def number_of(self, store: Store, case_id: str) -> int:
        """The place of a case in the newest version, from 1; 0 where it is gone."""
        place = store.suites.position_of(self.newest.content_hash, case_id)
        return 0 if place is None else place + 1


def newest_of(store: Store, suite: Suite) -> str:
    """The hash of the version of a suite that was stored last."""
    found = store.suites.versions(suite.name, limit=1)
    return found[0].suite.hash if found else suite.content_hash


def find_conflict(store: Store, base: Suite, known: str, wanted: Suite) -> EditConflict | None:
    """The version that was stored since the suite was read; None where there is none.

    ``known`` is the version that was the newest one then, ``base`` where it is empty. A version
    with the content that is ``wanted`` is in nobody's way.
    """
    newest = newest_of(store, base)
    if newest in {known or base.content_hash, wanted.content_hash}:
        return None
    found = store.suite(newest)
    return EditConflict(base, found, changes(store, base, found))


def save(
    store: Store, base: Suite, known: str, wanted: Suite, *, is_checked: bool = False
) -> str | EditConflict:
    """Store the version that was made out of another, unless one was stored meanwhile.

    Of two editors who save at the same moment, the second one gets the version of the first.

    Args:
        store: where to.
        base: the version that was edited.
        known: the version that was the newest one when it was read; empty for ``base``.
        wanted: what is to be stored.
        is_checked: whether ``wanted`` is known to be sound.

    Returns:
        The content hash of what was stored, or the version that is in its way.

    Raises:
        SpecError: ``wanted`` is not sound; every fault at once.
    """
    if found := find_conflict(store, base, known, wanted):
        return found
    if not is_checked:
        check(wanted)
    with store.one_editor():
        return find_conflict(store, base, known, wanted) or keep_checked(store, wanted)


def save_without_form(store: Store, base: Suite, known: str, wanted: Suite) -> str:
    """Store a change that no form shows; returns its content hash.

    Raises:
        Conflict: another version was stored meanwhile.
        SpecError: ``wanted`` is not sound; every fault at once.
    """
    saved = save(store, base, known, wanted)
    if isinstance(saved, EditConflict):
        raise Conflict(
            f"not saved: another version of {base.name!r} was saved in the meantime.",
            hint=f"Open it at /suites/{saved.newest.content_hash}",
        )
    return saved
