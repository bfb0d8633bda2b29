"""Improved pages, and the earlier pages that they began with."""

from typing import NamedTuple

from benchmaker.arenas.code.prompt_suite import PageOrigin, improved_page_of
from benchmaker.errors import StoreError
from benchmaker.spec import Case
from benchmaker.store import Store
from benchmaker.web.code.links import run_address
from benchmaker.web.code.subject import CodeRun


class EarlierPage(NamedTuple):
    """The run, the case and the model of the page before its improvement."""

    subject: CodeRun
    case: Case
    model: str


def earlier_page(store: Store, case: Case) -> EarlierPage | None:
    """Return the page that a case improves; None for other cases, and if that run is deleted."""
    origin = improved_page_of(case)
    return None if origin is None else _find_stored(store, origin)


def earlier_address(store: Store, case: Case) -> str:
    """Return the address of the page that a case improves; empty without one."""
    found = earlier_page(store, case)
    if found is None:
        return ""
    rank = found.subject.run.models.index(found.model)
    number = found.subject.number(found.case.id)
    return f"{run_address(found.subject.run.id)}/{number}/{rank + 1}"


def comparison_address(subject: CodeRun) -> str:
    """Return the address that compares the page of a run with the one that it improves.

    Empty for other runs, and as long as the improved page is not prepared.
    """
    if len(subject.prompts) != 1 or earlier_page(subject.store, subject.prompts[0]) is None:
        return ""
    made = [model for _, model in subject.prepared_pages]
    ranks = (rank for rank, model in enumerate(subject.run.models, 1) if model in made)
    rank = next(ranks, 0)
    return f"{run_address(subject.run.id)}/1/{rank}/before" if rank else ""


def _find_stored(store: Store, origin: PageOrigin) -> EarlierPage | None:
    try:
        subject = CodeRun(store, store.run(origin.run_id))
    except StoreError:
        return None
    case = next((it for it in subject.prompts if it.id == origin.case_id), None)
    is_there = case is not None and (case.id, origin.model) in subject.prepared_pages
    return EarlierPage(subject, case, origin.model) if is_there and case else None
