"""The list of genai-prices, read on demand and released.

Importing the package the usual way also loads an HTTP client, which keeps its list up to date. Here
the installed list is used, so only its data are loaded. Results are cached in a small file of the
data folder, since loading the data takes longer than using them.
"""

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

import msgspec

from benchmaker.providers.prices.rates import Rate, RateCard
from benchmaker.spec.documents.files import write_whole
from benchmaker.structs import resolve_type

PACKAGE = "genai_prices"
LIST = "genai-prices"
FILE = "known-prices.json"
_FORM = 2
"""The form of entries in the file; it changes with the kinds of rates."""

_loading = threading.Lock()
"""Held while the package is among the loaded modules without its ``__init__``."""


class Period(msgspec.Struct, frozen=True, omit_defaults=True):
    """When rates hold: from a day on, or within hours of each day, all in UTC; else always."""

    since: date | None = None
    begin: time | None = None
    end: time | None = None

    def holds(self, when: datetime) -> bool:
        """True if the moment is in the period; naive times are UTC.

        >>> Period(begin=time(22), end=time(6)).holds(datetime(2026, 1, 1, 23))
        True
        """
        moment = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
        if self.since is not None:
            return moment.date() >= self.since
        if self.begin is None or self.end is None:
            return True
        now = moment.time()
        if self.end < self.begin:
            return now >= self.begin or now < self.end
        return self.begin <= now < self.end


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """The list's entry for a model: its rates, the last valid ones count, and its context."""

    rates: tuple[tuple[Period, RateCard], ...]
    context_tokens: int | None = None

    def card(self, when: datetime | None = None) -> RateCard:
        """The rates at a moment, default now."""
        if len(self.rates) == 1:
            return self.rates[0][1]
        moment = when or datetime.now(UTC)
        held = (card for period, card in reversed(self.rates) if period.holds(moment))
        return next(held, self.rates[0][1])


class _CacheFile(msgspec.Struct, frozen=True):
    """The file: entries by provider and model, None where the list has none."""

    version: str
    entries: dict[str, Entry | None]


class PriceList:
    """Looks models up, in the cache file or else in the package's data.

    ``home`` is the data folder; nothing is cached without one, or before it exists.
    """

    def __init__(self, home: Path | None = None) -> None:
        self.version = _installed_version()
        self._stamp = f"{self.version}/{_FORM}"
        self._file = home / FILE if home else None
        self._entries: dict[str, Entry | None] | None = None

    def entry(self, provider: str, model: str) -> Entry | None:
        """The entry of a model; None where the list has none."""
        if self._entries is None:
            self._entries = self._load_cache()
        name = f"{provider} {model}"
        if name not in self._entries:
            self._entries[name] = _search_list(provider, model)
            self._save_cache(self._entries)
        return self._entries[name]

    def load(self) -> None:
        """Load the package's data, unless they are loaded."""
        _load_snapshot()

    def release(self) -> None:
        """Let go of the package's data; they are loaded again when they are needed."""
        _load_snapshot.cache_clear()

    def providers(self) -> frozenset[str]:
        """The providers that the list knows."""
        return frozenset(_listed_models())

    def models(self, provider: str) -> tuple[str, ...]:
        """The models of a provider, as the list names them."""
        return _listed_models().get(provider, ())

    def _load_cache(self) -> dict[str, Entry | None]:
        """Return the cached entries; empty if they are from another version or form."""
        with suppress(OSError, ValueError, msgspec.MsgspecError):
            if self._file is not None:
                kept = msgspec.json.decode(self._file.read_bytes(), type=resolve_type(_CacheFile))
                return dict(kept.entries) if kept.version == self._stamp else {}
        return {}

    def _save_cache(self, entries: dict[str, Entry | None]) -> None:
        """Write the file again; a folder that can't be written only costs time later."""
        if self._file is None or not self._file.parent.is_dir():
            return
        text = msgspec.json.encode(_CacheFile(self._stamp, entries))
        with suppress(OSError):
            write_whole(self._file, text)


@cache
def _installed_version() -> str:
    return version(LIST)


@lru_cache(maxsize=1)
def _load_snapshot() -> Any:  # noqa: ANN401  the package's own
    """Return the package's data, shared by all lists until they are released."""
    with _loading, _data_alone():
        from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415  see above

        return get_snapshot()


@lru_cache(maxsize=4096)
def _search_list(provider: str, model: str) -> Entry | None:
    try:
        found = _load_snapshot().find_provider_model(model, None, provider, None)[1]
    except LookupError:
        return None
    window = getattr(found, "context_window", None)
    return Entry(_rates(found.prices), window if isinstance(window, int) else None)


@cache
def _listed_models() -> Mapping[str, tuple[str, ...]]:
    """The names of all models by provider, which are few enough to stay in memory."""
    return {one.id: tuple(it.id for it in one.models) for one in _load_snapshot().providers}


@contextmanager
def _data_alone() -> Iterator[None]:
    """Load modules of the package without the package's own ``__init__``.

    Afterwards they are removed, so that a regular import gets the whole package.
    """
    if PACKAGE in sys.modules:
        yield
        return
    spec = find_spec(PACKAGE)
    if spec is None:  # pragma: no cover  it is one of our dependencies
        raise ModuleNotFoundError(PACKAGE)
    sys.modules[PACKAGE] = module_from_spec(spec)
    try:
        yield
    finally:
        for name in list(sys.modules):  # a copy: other threads import meanwhile
            if name.partition(".")[0] == PACKAGE:
                del sys.modules[name]


def _rates(prices: Any) -> tuple[tuple[Period, RateCard], ...]:  # noqa: ANN401  one price, or several with conditions
    if not isinstance(prices, list):
        return ((Period(), card_of(prices)),)
    return tuple((_period(one.constraint), card_of(one.prices)) for one in prices)


def _period(constraint: Any) -> Period:  # noqa: ANN401  the package's own
    if constraint is None:
        return Period()
    if (since := getattr(constraint, "start_date", None)) is not None:
        return Period(since=since)
    return Period(begin=_utc(constraint.start_time), end=_utc(constraint.end_time))


def _utc(value: time) -> time:
    """The time of day in UTC; it is UTC where it names no zone."""
    if value.tzinfo is None:
        return value
    return datetime.combine(date(1970, 1, 1), value).astimezone(UTC).time()


def card_of(rates: Any) -> RateCard:  # noqa: ANN401  the package's rates
    """The list's rates in our terms."""
    given = vars(rates)  # what is not in there is looked for in a table that takes time to load
    short = given.get("cache_write_5m_mtok")
    requests = given.get("requests_kcount")
    return RateCard(
        input=_rate(given.get("input_mtok")),
        output=_rate(given.get("output_mtok")),
        cache_read=_rate(given.get("cache_read_mtok")),
        cache_write=_rate(given.get("cache_write_mtok") if short is None else short),
        cache_write_1h=_rate(given.get("cache_write_1h_mtok")),
        reasoning=_rate(given.get("output_reasoning_mtok")),
        request_usd=float(requests) / 1000 if isinstance(requests, Decimal) else 0.0,
    )


def _rate(price: Any) -> Rate | None:  # noqa: ANN401  a number, or one with tiers
    if price is None:
        return None
    if isinstance(price, Decimal):
        return Rate(float(price))
    steps = tuple((int(tier.start), float(tier.price)) for tier in price.tiers)
    return Rate(float(price.base), steps)
