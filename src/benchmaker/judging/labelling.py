"""A person's labelling queue: items shown, labels entered and stored."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from msgspec.structs import replace

from benchmaker.documents import Document, Key
from benchmaker.engine.judges.judge_makers import asking_scorers, chosen_for, load_scorers
from benchmaker.engine.trials.setup_cases import case_of_setup
from benchmaker.errors import BenchmakerError, SpecError
from benchmaker.judging.label_queue import (
    Candidate,
    Item,
    LabelPlan,
    draw_items,
    item_of,
    spread_of,
)
from benchmaker.record import Run
from benchmaker.record.label import Label, blind_id
from benchmaker.scoring.build import build
from benchmaker.scoring.judge import NotOnScale, Scale, transcript
from benchmaker.spec import Suite
from benchmaker.spec import profile as profile_named
from benchmaker.store import Store

_WORDS = {"p": True, "pass": True, "f": False, "fail": False}


@dataclass(frozen=True, slots=True)
class BlindAnswer(Document):
    """An item as shown to a person: without its author and its score."""

    blind_id: Annotated[str, Key("id")]
    question: str
    expected: str | None
    answer: str


@dataclass(frozen=True, slots=True)
class LabelInput:
    """A person's input: a score on the scale, and a remark."""

    raw: float
    note: str = ""


class LabellingQueue:
    """One person's queue over some runs of a store; every label is durable immediately.

    Args:
        store: the store of the runs, open for writing if labels are to be stored.
        run_ids: runs of one suite.
        by: the person.
        wish: the numbers of answers.
        scale: the scale of scores; None for the scale of the runs' judge.

    Raises:
        SpecError: no answer of the runs has a score, or there are too few.
    """

    def __init__(
        self,
        store: Store,
        run_ids: Sequence[str],
        *,
        by: str = "local",
        wish: LabelPlan | None = None,
        scale: Scale | None = None,
    ) -> None:
        self.store = store
        self.run_ids = tuple(run_ids)
        self.by = by
        runs = [store.run(run_id) for run_id in run_ids]
        self._suite_hash = runs[0].suite_hash
        self.scale = scale or scale_of(store.suite(self._suite_hash), runs[0])
        self.candidates = tuple(candidates(store, run_ids))
        if not self.candidates:
            raise SpecError(
                f"no scored answers in {', '.join(run_ids)}.",
                hint="Score the answers first, or wait for the judge.",
            )
        labels = store.labels(run_ids)
        self.items = draw_items(self.candidates, wish or LabelPlan(), labels=labels, by=by)
        self._mine = {it.blind_id: it for it in labels if it.actor == by}

    @property
    def open_items(self) -> tuple[Item, ...]:
        """The items this person has not labelled yet, in order."""
        return tuple(it for it in self.items if it.blind_id not in self._mine)

    @property
    def labelled_count(self) -> int:
        """The number of items this person has labelled."""
        return sum(it.blind_id in self._mine for it in self.items)

    def blind_answer(self, item: Item) -> BlindAnswer:
        """The texts of an item."""
        answer = item.answer
        if answer is None:
            answer = self.store.trial(item.run_id, item.model, item.case_id).text
        if item.question is not None:
            return BlindAnswer(item.blind_id, item.question, item.expected, answer)
        case = self.store.case(self._suite_hash, item.position)
        asked = case_of_setup(self.store, self.store.run(item.run_id), item.model, case)
        return BlindAnswer(item.blind_id, transcript(asked.conversation()), case.expected, answer)

    def read(self, text: str) -> LabelInput:
        """A score of the scale, or pass or fail, and behind it a remark.

        Raises:
            SpecError: it is neither.
        """
        word, _, note = text.strip().partition(" ")
        return LabelInput(raw_score(word, self.scale), note.strip())

    def keep(self, item: Item, given: LabelInput) -> Label | None:
        """Store a label; None if an equal one is stored already."""
        label = self._label(item, given)
        kept = self.store.add_labels([label])
        self._mine[item.blind_id] = kept[0] if kept else label
        return kept[0] if kept else None

    def keep_all(self, given: Iterable[tuple[Item, LabelInput]]) -> tuple[Label, ...]:
        """Keep many, all or none; returns those that are new."""
        made = [self._label(item, it) for item, it in given]
        kept = self.store.add_labels(made)
        self._mine |= {it.blind_id: it for it in (*made, *kept)}
        return kept

    def withdraw(self, item: Item) -> None:
        """Withdraw this person's label of an item, which returns to the queue."""
        before = self._mine.pop(item.blind_id, None)
        if before is not None:
            self.store.add_labels([_withdraw(before)])

    def settle(self) -> int:
        """Count targeted labels as random ones if the random part has reached their answers.

        Otherwise the random part would lack the doubtful answers. Returns their number.
        """
        drawn_now = {it.blind_id for it in self.items if it.source == "random"}
        late = [
            replace(it, source="random", created_at="")
            for it in self._mine.values()
            if it.source == "targeted" and it.blind_id in drawn_now
        ]
        kept = self.store.add_labels(late)
        self._mine |= {it.blind_id: it for it in kept}
        return len(kept)

    def find(self, name: str) -> Item | None:
        """The item of that blind id: of the queue, or any other scored answer."""
        return self._items_by_name.get(name)

    @cached_property
    def _items_by_name(self) -> dict[str, Item]:
        others = {it.blind_id: item_of(it, "targeted") for it in self.candidates}
        return others | {it.blind_id: it for it in self.items}

    def _label(self, item: Item, given: LabelInput) -> Label:
        before = self._mine.get(item.blind_id)
        return Label(
            run_id=item.run_id,
            case_id=item.case_id,
            blind_id=item.blind_id,
            source="random" if before and before.source == "random" else item.source,
            score=self.scale.to_unit(given.raw),
            model=item.model,
            raw_score=given.raw,
            scale=(self.scale.minimum, self.scale.maximum),
            known=item.known,
            actor=self.by,
            note=given.note,
        )


def _withdraw(label: Label) -> Label:
    return replace(label, score=None, raw_score=None, note="", created_at="")


def candidates(store: Store, run_ids: Sequence[str]) -> Iterator[Candidate]:
    """Every scored answer that counts in a mean, in the order of runs, cases and models."""
    for run_id in run_ids:
        for trial in store.trials(run_id):
            score = trial.score
            if score is not None and score.score is not None and trial.weight > 0:
                yield Candidate(
                    run_id,
                    trial.model,
                    trial.case_id,
                    trial.position,
                    blind_id(run_id, trial.model, trial.case_id, trial.text),
                    score.score,
                    spread_of(score),
                )


def raw_score(text: str, scale: Scale) -> float:
    """Return the score on the scale for a text; pass and fail are its ends.

    Raises:
        SpecError: not a score on the scale.

    >>> raw_score("8/10", Scale()), raw_score("fail", Scale())
    (8.0, 0.0)
    """
    word = text.strip().casefold()
    if word in _WORDS and word not in {grade.casefold() for grade in scale.grades}:
        return scale.maximum if _WORDS[word] else scale.minimum
    try:
        return scale.read(text)
    except NotOnScale as exc:
        raise SpecError(f"{exc}.", hint=f"Enter a number from {scale}, or pass or fail.") from exc


def scale_of(suite: Suite, run: Run) -> Scale:
    """The scale of the judge that scores the suite's answers; from 0 to 10 without one.

    Raises:
        SpecError: answers are judged in pairs.
    """
    try:
        specs = asking_scorers(load_scorers(suite), chosen_for(run))
        scorers = [build(spec, profile_named(suite.profile)) for spec in specs]
    except BenchmakerError:  # a scorer that is not installed here says nothing of scales
        return Scale()
    if any(getattr(scorer, "mode", "") == "pairwise" for scorer in scorers):
        raise SpecError(
            "these answers are judged in pairs, but labels score single answers.",
            hint="Label a run whose judge scores single answers, or add --scale.",
        )
    scales = [getattr(scorer, "scale", None) for scorer in scorers]
    found = [scale for scale in scales if isinstance(scale, Scale)]
    return found[0] if found and all(scale == found[0] for scale in found) else Scale()
