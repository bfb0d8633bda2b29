"""The answers for people to label: a random part, the doubtful ones, and traps."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import NamedTuple

import numpy as np

from benchmaker.errors import SpecError
from benchmaker.judging.samples import bundled_samples
from benchmaker.record import Score
from benchmaker.record.label import Label, LabelSource, blind_id
from benchmaker.scoring.judge import NULL_BATTERY

ORDER_DISAGREEMENT = "order_disagreement"
_NEIGHBOURS = 10
_PLAIN_NULLS = tuple(it for it in NULL_BATTERY if it.kind in {"constant", "instruction_only"})
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scored answer: its key, the judge's score, and the spread of its judgments."""

    run_id: str
    model: str
    case_id: str
    position: int
    blind_id: str
    score: float
    spread: float = 0.0


@dataclass(frozen=True, slots=True)
class Item:
    """One answer to be labelled. A trap has no model; it brings its texts along.

    ``question`` and ``expected`` are None where the case's own are to be shown.
    """

    run_id: str
    case_id: str
    blind_id: str
    source: LabelSource
    model: str = ""
    position: int = 0
    answer: str | None = None
    question: str | None = None
    expected: str | None = None
    known: float | None = None


class LabelPlan(NamedTuple):
    """The number of answers for one person to label, their random share, and of traps."""

    n: int = 60
    share_random: float = 0.5
    traps: int = 4
    seed: int = 0

    def check(self) -> "LabelPlan":
        """The wish; SpecError where it can't be fulfilled."""
        if self.n < 1 or self.traps < 0 or not 0 <= self.share_random <= 1:
            raise SpecError(
                f"can't draw {self.n} answers, {self.share_random:g} of them at random, and "
                f"{self.traps} traps.",
                hint="Use at least 1 answer, a share from 0 to 1, and at least 0 traps.",
            )
        return self


def spread_of(score: Score) -> float:
    """Return the spread of the judgments of a score, 0 to 1: judges, repeats, both orders.

    Among judged checks it is the largest.
    """
    if ORDER_DISAGREEMENT in score.flags:
        return 1.0
    spreads = [part.get("spread", 0.0) for _, part in score.judged_parts]
    return max(map(_finite, [score.detail.get("spread", 0.0), *spreads]))


def _finite(spread: object) -> float:
    """The spread as a number; 0 for anything else."""
    if isinstance(spread, bool) or not isinstance(spread, int | float):
        return 0.0
    return float(spread) if math.isfinite(spread) else 0.0


def draw_items(
    candidates: Sequence[Candidate],
    wish: LabelPlan,
    *,
    labels: Iterable[Label] = (),
    by: str = "local",
) -> tuple[Item, ...]:
    """Return the items for one person to label, in display order.

    The random part takes the cases of a run in a seeded order, with the answers of all models to
    each, so that differences between models are corrected too; a larger ``n`` continues the same
    order. The rest are the answers with the largest spread of judgments, or with scores like those
    for which people and judge differed most. Both parts and the traps are mixed, and no trap comes
    first: people learn the task on real answers.

    Args:
        candidates: all scored answers.
        wish: the numbers of items.
        labels: everyone's latest labels.
        by: the person, whose targeted labels count towards the requested number.

    Raises:
        SpecError: there are too few answers.
    """
    wish = wish.check()
    given = list(labels)
    units = _random_units(candidates, wish)
    taken = {item.blind_id for unit in units for item in unit}
    rest = [it for it in candidates if it.blind_id not in taken]
    number = min(wish.n, len(candidates)) - len(taken)
    mine = {it.blind_id for it in given if it.actor == by and it.source == "targeted"}
    before = [it for it in rest if it.blind_id in mine]
    others = [it for it in rest if it.blind_id not in mine]
    doubt = doubts(others, candidates, given)
    more = _most_doubtful(others, doubt, seed=wish.seed)[: max(0, number - len(before))]
    aimed = [item_of(it, "targeted") for it in (*before, *more)] if number > 0 else []
    mixed: list[tuple[Item, ...]] = [*units, *((it,) for it in aimed)]
    mixed += [(it,) for it in _traps(candidates, wish)]
    return tuple(chain.from_iterable(_in_order(mixed, wish.seed)))


def _in_order(units: Iterable[tuple[Item, ...]], seed: int) -> list[tuple[Item, ...]]:
    """In the order of the seed, in which two keep their order whatever is drawn beside them."""

    def key(unit: tuple[Item, ...]) -> bytes:
        return hashlib.sha256(f"order {seed} {unit[0].blind_id}".encode()).digest()

    mixed = sorted(units, key=key)
    first = next((at for at, (it, *_) in enumerate(mixed) if it.source != "trap"), 0)
    return [*mixed[first : first + 1], *mixed[:first], *mixed[first + 1 :]]


def _random_units(candidates: Sequence[Candidate], wish: LabelPlan) -> list[tuple[Item, ...]]:
    """Cases of a run with the answers of all models, until there are enough."""
    wanted = math.ceil(wish.n * wish.share_random)
    units: list[tuple[Item, ...]] = []
    count = 0
    for together in _shuffled_cases(candidates, wish.seed):
        if count >= wanted:
            break
        units.append(tuple(item_of(it, "random") for it in together))
        count += len(together)
    return units


def _shuffled_cases(candidates: Sequence[Candidate], seed: int) -> Iterator[list[Candidate]]:
    """The answers of each case of a run, cases and answers in the order of the seed."""
    cases: dict[tuple[str, int], list[Candidate]] = {}
    for it in candidates:
        cases.setdefault((it.run_id, it.position), []).append(it)
    chance = Random(f"random part {seed}")  # noqa: S311  a draw, no secret
    keys = sorted(cases)
    chance.shuffle(keys)
    for key in keys:
        together = sorted(cases[key], key=lambda it: it.model)
        chance.shuffle(together)
        yield together


def _most_doubtful(
    others: Sequence[Candidate], doubt: Sequence[float], *, seed: int
) -> list[Candidate]:
    """The most doubtful first; of equal ones those nearest to the middle of the scale."""
    chance = Random(f"targeted {seed}")  # noqa: S311  a draw, no secret
    key = [(-doubt[at], abs(it.score - _HALF), chance.random()) for at, it in enumerate(others)]
    return [others[at] for at in sorted(range(len(others)), key=key.__getitem__)]


def doubts(
    others: Sequence[Candidate], candidates: Sequence[Candidate], labels: Sequence[Label]
) -> list[float]:
    """The spread of an answer's judgments, or the error of the judge on scores like this one."""
    scores = {it.blind_id: it.score for it in candidates}
    pairs = sorted(
        (scores[it.blind_id], abs(it.score - scores[it.blind_id]))
        for it in labels
        if it.score is not None and it.blind_id in scores
    )
    if len(pairs) < _NEIGHBOURS:
        return [it.spread for it in others]
    known, errors = np.array(pairs).T
    by_score = {score: _nearby_error(score, known, errors) for score in {it.score for it in others}}
    return [max(it.spread, by_score[it.score]) for it in others]


def _nearby_error(score: float, known: np.ndarray, errors: np.ndarray) -> float:
    """The root mean square error of the judge on the labelled answers of the nearest scores."""
    nearest = np.argsort(np.abs(known - score), kind="stable")[:_NEIGHBOURS]
    return float(np.sqrt(np.mean(errors[nearest] ** 2)))


def item_of(it: Candidate, source: LabelSource) -> Item:
    """The candidate as an item to be labelled."""
    return Item(it.run_id, it.case_id, it.blind_id, source, model=it.model, position=it.position)


def _traps(candidates: Sequence[Candidate], wish: LabelPlan) -> Iterator[Item]:
    """In turn an answer that says nothing, to a case's own question, and a bundled right one."""
    if not candidates:
        return
    right = [it for it in bundled_samples("standard").samples if it.kind == "right_terse"]
    chance = Random(f"traps {wish.seed}")  # noqa: S311  a draw, no secret
    nulls = chance.sample(_PLAIN_NULLS, len(_PLAIN_NULLS))
    chance.shuffle(right)
    places = chance.sample(range(len(candidates)), min(len(candidates), wish.traps))
    for at in range(min(wish.traps, 2 * min(len(nulls), len(right)))):
        one = candidates[places[at % len(places)]]
        if at % 2:
            sample = right[at // 2]
            yield Item(
                one.run_id,
                f"bundled:{sample.id}",
                blind_id(one.run_id, "", f"bundled:{sample.id}", sample.answer),
                "trap",
                answer=sample.answer,
                question=sample.question,
                expected=sample.reference,
                known=sample.expected,
            )
        else:
            text = nulls[at // 2].text
            name = blind_id(one.run_id, "", one.case_id, text)
            yield Item(
                one.run_id, one.case_id, name, "trap",
                position=one.position, answer=text, known=0.0,
            )  # fmt: skip
