"""Repricing of stored submissions: no log is read, and reported costs are kept."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.sessions.memory_tables import Request
from benchmaker.arenas.agentic.sessions.pricing import REASONS, Priced, Pricer
from benchmaker.arenas.agentic.sessions.stored_events import REQUESTS, requests_of
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import ModelUsage, Provenance, Submission
from benchmaker.store import Store
from benchmaker.store.home import Home

_COST = "cost.computed_usd"


@dataclass(frozen=True, slots=True)
class Repriced:
    """A submission before and after; it is ``stored`` as a revision where anything changed."""

    id: str
    before: Submission
    after: Submission
    stored: bool


def reprice(
    submissions: Sequence[str] = (),
    *,
    as_of: date | None = None,
    dry_run: bool = False,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
) -> tuple[Repriced, ...]:
    """Price stored submissions again, request by request, with the current prices.

    Args:
        submissions: their ids, or prefixes of them; all by default.
        as_of: the day of the prices for all; None for the prices of each request's own day.
        dry_run: store nothing.
        home: the data folder, with ``prices.yaml``.
        store: the store's address, if it is not in the data folder.
        clock: returns seconds since 1970.

    Returns: Each submission with stored requests, before and after.
    """
    place = Home.of(home, store)
    pricer = Pricer(Prices(place.home), as_of=as_of, now=clock())
    with place.open_store() as opened:
        named = [opened.submission(opened.find_submission(it)) for it in submissions]
        return tuple(
            one
            for it in (named or list(opened.submissions()))
            if (one := _reprice_one(it, opened, pricer, dry_run=dry_run)) is not None
        )


def _reprice_one(
    submission: Submission, store: Store, pricer: Pricer, *, dry_run: bool
) -> Repriced | None:
    requests = list(requests_of(store.trace(submission.id, REQUESTS)))
    if not requests:
        return None
    after = _price_again(submission, requests, pricer)
    has_changed = after != submission
    if has_changed and not dry_run:
        store.put_submission(after)
    return Repriced(submission.id, submission, after, has_changed and not dry_run)


def _price_again(submission: Submission, requests: list[Request], pricer: Pricer) -> Submission:
    provider = submission.system.provider
    priced = pricer.price(requests, provider)
    usd_of = pricer.usd_of(provider)
    main = submission.main
    if main is not None:
        own = [it for it in requests if it.is_main]
        main = msgspec.structs.replace(
            main,
            cost_computed_usd=usd_of(own),
            usage_by_model=_by_model(main.usage_by_model, own, usd_of),
        )
    cost = msgspec.structs.replace(
        submission.cost,
        computed_usd=priced.usd,
        rate_card=pricer.version,
        as_of=str(pricer.as_of) if pricer.as_of else None,
        unpriced=priced.unpriced,
    )
    return msgspec.structs.replace(
        submission,
        cost=cost,
        main=main,
        usage_by_model=_by_model(submission.usage_by_model, requests, usd_of),
        provenance=_labels(submission, priced),
        flags=tuple(sorted({*submission.flags} - REASONS | {*priced.reasons})),
    )


def _by_model(
    usages: tuple[ModelUsage, ...],
    requests: list[Request],
    usd_of: Callable[[list[Request]], float | None],
) -> tuple[ModelUsage, ...]:
    return tuple(
        msgspec.structs.replace(
            it, computed_usd=usd_of([one for one in requests if one.model == it.model])
        )
        for it in usages
    )


def _labels(submission: Submission, priced: Priced) -> dict[str, Provenance]:
    labels = {name: it for name, it in submission.provenance.items() if name != _COST}
    known = {} if priced.usd is None else {_COST: Provenance.COMPUTED}
    return dict(sorted((labels | known).items()))
