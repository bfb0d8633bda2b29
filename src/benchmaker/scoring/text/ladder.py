"""The exact scorer's published ladder: from equality down to likeness, with its arithmetic."""

from typing import Any

from rapidfuzz.distance.Levenshtein import distance as levenshtein

from benchmaker.record import Score
from benchmaker.scoring.base import auto_pass
from benchmaker.scoring.numbers import format_number
from benchmaker.scoring.words import contains_words

_CELLS = 20_000_000_000


def classic_score(reply: str, expected: str) -> Score:
    """The whole reply on the ladder; contained anywhere counts.

    Source: the published method, section 4.1.
    """
    if not expected:
        return auto_pass()
    if reply == expected:
        return _equal_score()
    folded, wanted = reply.casefold(), expected.casefold()
    if folded == wanted:
        return _equal_ignoring_case_score()
    if expected in reply:
        return _contains(len(reply), len(expected))
    if wanted in folded:
        return _contains_ignoring_case(len(folded), len(wanted))
    return _similarity_score(reply, expected)


def graded_score(reply: str, expected: str) -> Score:
    """The answer on the ladder; contained counts at word boundaries alone."""
    if reply == expected:
        return _equal_score()
    if contains_words(reply, expected):
        return _contains(len(reply), len(expected))
    folded, wanted = reply.casefold(), expected.casefold()
    if folded == wanted:
        return _equal_ignoring_case_score()
    if folded != reply and contains_words(folded, wanted):
        return _contains_ignoring_case(len(folded), len(wanted))
    return _similarity_score(reply, expected)


def _equal_score() -> Score:
    return Score(score=1.0, confidence=1.0, notes="equal", detail={"rung": "equal"})


def _equal_ignoring_case_score() -> Score:
    return Score(
        score=0.95,
        confidence=1.0,
        notes="equal ignoring case",
        detail={"rung": "equal_ignoring_case"},
    )


def _contains(reply: int, expected: int) -> Score:
    x = 1 - expected / reply
    return Score(
        score=max(0.60, 0.95 - 0.35 * x),
        confidence=0.9,
        notes="the answer contains the expected text",
        detail={"rung": "contains", "reply_length": reply, "expected_length": expected},
    )


def _contains_ignoring_case(reply: int, expected: int) -> Score:
    x = 1 - expected / reply
    return Score(
        score=max(0.55, 0.90 - 0.35 * x),
        confidence=0.85,
        notes="the answer contains the expected text, ignoring case",
        detail={
            "rung": "contains_ignoring_case",
            "reply_length": reply,
            "expected_length": expected,
        },
    )


def _similarity_score(reply: str, expected: str) -> Score:
    """By edit distance; it is not computed where the lengths alone rule out more than .2."""
    shorter, longer = sorted((len(reply), len(expected)))
    detail: dict[str, Any] = {
        "rung": "different", "reply_length": len(reply), "expected_length": len(expected)
    }  # fmt: skip
    if 5 * shorter <= longer:
        return _likeness(0.0, 1.0, "different", detail)
    if shorter * longer > _CELLS:
        return Score.unscored("the texts are too long for edit distance")
    detail["distance"] = distance = levenshtein(reply, expected)
    same = longer - distance
    s = 1 - distance / longer
    if 2 * same > longer:
        detail["rung"] = "similar"
        return _likeness(0.7 * s, max(0.4, 0.8 * s), "similar", detail)
    if 5 * same > longer:
        detail["rung"] = "somewhat_similar"
        return _likeness(0.4 * s, 0.3, "somewhat similar", detail)
    return _likeness(0.0, 1.0, "different", detail)


def _likeness(points: float, confidence: float, notes: str, detail: dict[str, Any]) -> Score:
    return Score(score=points, confidence=confidence, notes=notes, detail=detail)


_PLAIN = {
    "auto_pass": "nothing is expected: 1, counted as auto-pass",
    "equal": "the answer equals the expected text: 1",
    "unequal": "the answer differs from the expected text: 0",
    "equal_ignoring_case": "the answer equals the expected text except for case: 0.95",
}


def arithmetic(score: Score) -> list[str]:
    """Return the lines of the rung that applied."""
    rung = score.detail.get("rung")
    match rung:
        case "contains":
            return _containment_lines(score, "0.60", "0.95")
        case "contains_ignoring_case":
            return _containment_lines(score, "0.55", "0.90")
        case "similar" | "somewhat_similar" | "different":
            return [_similarity_line(score)]
        case _:
            return [_PLAIN.get(str(rung), score.notes)]


def _containment_lines(score: Score, floor: str, top: str) -> list[str]:
    reply, expected = score.detail["reply_length"], score.detail["expected_length"]
    x = format_number(1 - expected / reply)
    points = format_number(score.score or 0.0)
    how = " ignoring case" if top == "0.90" else ""
    return [
        f"the answer contains the expected text{how}: {expected} of {reply} code points",
        f"x = 1 − {expected}/{reply} = {x}; max({floor}, {top} − 0.35·{x}) = {points}",
    ]


def _similarity_line(score: Score) -> str:
    reply, expected = score.detail["reply_length"], score.detail["expected_length"]
    longer = max(reply, expected)
    distance = score.detail.get("distance")
    if distance is None:
        most = format_number(min(reply, expected) / longer)
        lengths = f"{min(reply, expected)}/{longer}"
        return f"by the lengths, s is at most {lengths} = {most}; not above 0.2: 0"
    s = format_number(1 - distance / longer)
    start = f"s = 1 − levenshtein/longer length = 1 − {distance}/{longer} = {s}"
    match score.detail["rung"]:
        case "similar":
            return f"{start}; above 0.5: 0.7·{s} = {format_number(score.score or 0.0)}"
        case "somewhat_similar":
            return f"{start}; above 0.2, up to 0.5: 0.4·{s} = {format_number(score.score or 0.0)}"
        case _:
            return f"{start}; not above 0.2: 0"
