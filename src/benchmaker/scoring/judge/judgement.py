"""Converts the members of one object into one judgement, or into its fault."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from benchmaker.scoring.judge.categories import NoCategory, read_category
from benchmaker.scoring.judge.criteria import CriterionMark, JudgeCriterion, weighted_mark
from benchmaker.scoring.judge.expect import Expect
from benchmaker.scoring.judge.lines import NoChoice, read_choice
from benchmaker.scoring.judge.members import Members
from benchmaker.scoring.judge.reply import JudgeReply, UnparsedReply
from benchmaker.scoring.judge.scale import NotOnScale

_CLAIMS = frozenset({"score", "verdict", "criteria", "cannot_judge"})
_SINGLE = _CLAIMS | {"nonce", "level", "met", "id"}
_WORDS = {"yes": True, "true": True, "no": False, "false": False}


class _InvalidJudgement(ValueError):
    """The fault of a judgement, in plain words."""


def claims_something(value: Members) -> bool:
    """True if an object contains a judgement, valid or not."""
    return not _CLAIMS.isdisjoint(value)


def judgement(value: Members, expect: Expect) -> JudgeReply | UnparsedReply:
    """Return the judgement in the members; the caller adds rung, repairs and nonce."""
    try:
        return _judgement(value, expect)
    except (_InvalidJudgement, NotOnScale, NoChoice, NoCategory) as exc:
        return UnparsedReply(str(exc))


def _judgement(value: Members, expect: Expect) -> JudgeReply:
    _check_single(value)
    said = JudgeReply(
        evidence=value.text("evidence"),
        rationale=value.text("rationale"),
        confidence=_confidence(value.get("confidence")),
    )
    if _flag(value.get("cannot_judge") or False, "cannot_judge"):
        return replace(said, cannot_judge=True)
    if expect.mode == "pairwise":
        return replace(said, verdict=read_choice(_member(value, "verdict"), ties=expect.ties))
    if expect.categories:
        chosen = read_category(_member(value, "verdict"), expect.categories)
        return replace(said, category=chosen.id, unit=chosen.unit)
    if not expect.sums:
        score = expect.scale.read(_member(value, "score"))
        return replace(said, score=score, unit=expect.scale.to_unit(score))
    marks = _marks(value, expect)
    unit = weighted_mark(marks, expect.criteria)
    evidence = "\n".join(filter(None, [said.evidence, *(mark.evidence for mark in marks)]))
    score = expect.scale.from_unit(unit)
    return replace(said, score=score, unit=unit, marks=marks, evidence=evidence)


def _check_single(value: Members) -> None:
    for inner in value.walk():
        if twice := sorted(inner.twice & _SINGLE):
            raise _InvalidJudgement(f"{twice[0]!r} is given twice with different values")


def _member(value: Members, name: str) -> object:
    if name not in value:
        raise _InvalidJudgement(f"the member {name!r} is missing")
    return value[name]


def _confidence(value: object) -> float | None:
    """The judge's word for it where it is a number from 0 to 1; nothing rests on it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def _flag(value: object, name: str) -> bool:
    """True or false, also in words; a number is neither."""
    word = value.strip().casefold() if isinstance(value, str) else None
    answer = value if isinstance(value, bool) else _WORDS.get(word or "")
    if answer is None:
        raise _InvalidJudgement(f"{name!r} must be true or false, not {_short_repr(value)}")
    return answer


def _short_repr(value: object) -> str:
    """Return the judge's text, shortened: it may quote the answer."""
    return repr(value)[:60]


def _marks(value: Members, expect: Expect) -> tuple[CriterionMark, ...]:
    """One mark for each criterion, in their order."""
    given = dict(_entries(_member(value, "criteria")))
    criteria = {criterion.id.casefold(): criterion for criterion in expect.criteria}
    if unknown := sorted(given.keys() - criteria.keys()):
        raise _InvalidJudgement(f"there is no criterion {_short_repr(unknown[0])}")
    if missing := [it.id for key, it in criteria.items() if key not in given]:
        raise _InvalidJudgement(f"the criterion {missing[0]!r} is missing")
    return tuple(_mark(criterion, given[key], expect) for key, criterion in criteria.items())


def _entries(criteria: object) -> Iterator[tuple[str, Members]]:
    """The entries by criterion, out of a list of objects or an object by name."""
    if isinstance(criteria, Members):
        for name, value in criteria.items():
            yield name, _entry(value)
        return
    if not isinstance(criteria, list):
        raise _InvalidJudgement("'criteria' must be a list with an object for each criterion")
    seen: dict[str, Members] = {}
    for item in cast("list[object]", criteria):
        if not isinstance(item, Members) or not isinstance(item.get("id"), str | int):
            raise _InvalidJudgement("each entry of 'criteria' must be an object with its 'id'")
        name = str(item["id"]).strip().casefold()
        if name in seen:
            raise _InvalidJudgement(f"the criterion {_short_repr(name)} is given twice")
        seen[name] = item
        yield name, item


def _entry(value: object) -> Members:
    """Return a criterion's entry as an object; a bare value is wrapped."""
    return value if isinstance(value, Members) else Members([("level", value), ("met", value)])


def _mark(criterion: JudgeCriterion, entry: Members, expect: Expect) -> CriterionMark:
    evidence = entry.text("evidence")
    if expect.mode == "checklist":
        met = float(_flag(_criterion_member(criterion, entry, "met"), "met"))
        return CriterionMark(criterion.id, met, met, evidence)
    scale = criterion.scale(expect.scale)
    try:
        level = scale.read(_criterion_member(criterion, entry, "level"))
    except NotOnScale as exc:
        raise _InvalidJudgement(f"criterion {criterion.id!r}: {exc}") from exc
    if criterion.levels and level not in criterion.levels:
        levels = ", ".join(f"{it:g}" for it in sorted(criterion.levels))
        raise _InvalidJudgement(
            f"criterion {criterion.id!r}: the level {level:g} is none of {levels}"
        )
    return CriterionMark(criterion.id, level, scale.to_unit(level), evidence)


def _criterion_member(criterion: JudgeCriterion, entry: Members, name: str) -> object:
    if name not in entry:
        raise _InvalidJudgement(f"criterion {criterion.id!r}: the member {name!r} is missing")
    return entry[name]
