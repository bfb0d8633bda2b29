"""Concurrent edits of a suite: the second editor is shown the first one's changes."""

from dataclasses import dataclass

from benchmaker.errors import Conflict
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.web.suites.changes import ChangedCase, SuiteChanges, changes
from benchmaker.web.suites.versions import check, keep_checked


@dataclass(frozen=True, slots=True)
class EditConflict:
    """A version stored during an edit of an older one, with its changes."""

    base: Suite
    newest: Suite
    made: SuiteChanges

    def of_case(self, case_id: str) -> ChangedCase | None:
        """Return the change of a case, if it was changed."""
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
    """Return the version stored since the suite was read; None if there is none.

    ``known`` is the latest version at that time, ``base`` if empty. A version with the ``wanted``
    content is not a conflict.
    """
    newest = newest_of(store, base)
    if newest in {known or base.content_hash, wanted.content_hash}:
        return None
    found = store.suite(newest)
    return EditConflict(base, found, changes(store, base, found))


def save(
    store: Store, base: Suite, known: str, wanted: Suite, *, is_checked: bool = False
) -> str | EditConflict:
    """Store the version derived from another, unless one was stored meanwhile.

    If two editors save simultaneously, the second one gets the version of the first.

    Args:
        store: the store.
        base: the edited version.
        known: the latest version when it was read; empty for ``base``.
        wanted: the version to store.
        is_checked: whether ``wanted`` is known to be valid.

    Returns: The content hash of the stored version, or the conflicting version.

    Raises:
        SpecError: ``wanted`` is invalid; all faults together.
    """
    if found := find_conflict(store, base, known, wanted):
        return found
    if not is_checked:
        check(wanted)
    with store.one_editor():
        return find_conflict(store, base, known, wanted) or keep_checked(store, wanted)


def save_without_form(store: Store, base: Suite, known: str, wanted: Suite) -> str:
    """Store a change that no form shows; return its content hash.

    Raises:
        Conflict: another version was stored meanwhile.
        SpecError: ``wanted`` is invalid; all faults together.
    """
    saved = save(store, base, known, wanted)
    if isinstance(saved, EditConflict):
        raise Conflict(
            f"not saved: another version of {base.name!r} was saved in the meantime.",
            hint=f"Open it at /suites/{saved.newest.content_hash}",
        )
    return saved
