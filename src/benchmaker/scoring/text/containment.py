"""Checks for required and forbidden texts in an answer."""

from benchmaker.record import Score
from benchmaker.scoring.excerpts import shorten

_SHOWN = 60


def score_contained_texts(found: list[str], missing: list[str], forbidden: list[str]) -> Score:
    """Return 1 if nothing is missing or forbidden, else 0; all texts are in ``detail``."""
    detail = {"found": found, "missing": missing}
    if forbidden:
        detail["forbidden"] = forbidden
    if missing or forbidden:
        notes = "not found" if missing else "found, though it must not be"
        return Score.of(0.0, confidence=1.0, notes=notes, detail=detail)
    return Score.of(1.0, confidence=1.0, notes=_found_words(found), detail=detail)


def _found_words(found: list[str]) -> str:
    if not found:
        return "no forbidden text was found"
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"found {shorten(found[0], _SHOWN)!r}{more}"


def lines_of(score: Score) -> list[str]:
    """Return the lines with the texts searched for, found and missing."""
    detail = score.detail
    lines = [f"found: {text!r}" for text in detail["found"]]
    lines += [f"absent: {text!r}" for text in detail["missing"]]
    lines += [f"found, though it must not be: {text!r}" for text in detail.get("forbidden", ())]
    result = "score = 1" if score.score == 1.0 else f"{score.notes}: {score.score:g}"
    return [*lines, result]
