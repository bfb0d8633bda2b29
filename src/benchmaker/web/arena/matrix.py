"""The matrix of a run being configured: models by prompts and efforts, each with its price."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from itertools import product

from benchmaker.engine.runs.estimate import Estimate, Span
from benchmaker.record import setup_name
from benchmaker.record.dollars import dollar_range
from benchmaker.spec import Suite
from benchmaker.web.arena.model_choices import ModelChoice
from benchmaker.web.arena.setup import Setup

_Column = tuple[str | None, str | None]
_Costs = Mapping[str, Span | None]

UNKNOWN = "unknown"
"""The price of a setup without one, or of all if one has none."""


@dataclass(frozen=True, slots=True)
class Price:
    """An estimated price in words, with its name in the page."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A model with the prices of its setups, and their sum; it is run if it is chosen."""

    choice: ModelChoice
    is_chosen: bool
    prices: tuple[Price, ...]
    total: Price


@dataclass(frozen=True, slots=True)
class Matrix:
    """Models by prompts and efforts.

    ``prompts`` are all of the suite, ``efforts`` those of the run; a suite without one has a single
    column. ``prices`` of a row are by prompt, then effort.
    """

    prompts: tuple[str, ...]
    efforts: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    totals: tuple[Price, ...]
    total: Price

    @property
    def columns(self) -> int:
        """The number of columns with prices."""
        return max(1, len(self.prompts)) * max(1, len(self.efforts))

    @property
    def n_chosen(self) -> int:
        """The number of chosen models."""
        return sum(row.is_chosen for row in self.rows)

    @property
    def shape(self) -> str:
        """A name of its rows and columns, without the prices."""
        names = [row.choice.name for row in self.rows]
        return _digest(repr((names, self.prompts, self.efforts)))

    def visible_prices(self) -> Iterator[Price]:
        """Every price of the table: sums of a single one are left out."""
        for row in self.rows:
            yield from row.prices
            if self.columns > 1:
                yield row.total
        if len(self.rows) > 1:
            yield from self.totals if self.columns > 1 else ()
            yield self.total


def matrix_of(
    setup: Setup,
    suite: Suite | None,
    models: Sequence[ModelChoice],
    made: Estimate | None,
    *,
    chosen: Collection[str],
) -> Matrix:
    """Return the matrix of these models with the prices of the estimate for the chosen ones."""
    prompts = tuple(str(one.id) for one in suite.prompts) if suite else ()
    efforts = setup.efforts or (tuple(suite.efforts) if suite else ())
    columns = tuple(product(prompts or (None,), efforts or (None,)))
    costs = {one.model: one.cost_usd for one in made.models} if made else {}
    rows = tuple(_row(model, columns, costs, is_chosen=model.name in chosen) for model in models)
    totals = tuple(
        _price(f"column {number}", [setup_name(model.name, *column) for model in models], costs)
        for number, column in enumerate(columns)
    )
    return Matrix(prompts, efforts, rows, totals, _price("all", costs, costs))


def _row(
    model: ModelChoice, columns: Sequence[_Column], costs: _Costs, *, is_chosen: bool
) -> MatrixRow:
    names = [setup_name(model.name, *column) for column in columns]
    prices = tuple(_price(name, [name], costs) for name in names)
    return MatrixRow(model, is_chosen, prices, _price(f"sum {model.name}", names, costs))


def _price(place: str, names: Iterable[str], costs: _Costs) -> Price:
    """Return the sum of the prices of some setups; a dash where none is run."""
    spans = [costs[name] for name in names if name in costs]
    priced = [span for span in spans if span is not None]
    text = "–" if not spans else UNKNOWN
    if spans and len(priced) == len(spans):
        whole = reduce(Span.plus, priced, Span())
        text = dollar_range(whole.low, whole.high)
    return Price(f"p{_digest(place)}", text)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
