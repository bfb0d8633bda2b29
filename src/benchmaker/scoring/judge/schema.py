"""The form of a judge's reply, as JSON Schema.

Evidence comes before the rationale and the score last of the three, so that the score follows from
the text and not the other way round. The nonce comes last: a judge that quotes an answer without
escaping it, and so closes its object too early, has then not repeated it.

Every member is required and none may be added, as strict structured output demands of schemas;
bounds are stated in words where providers refuse them as keywords.
"""

from typing import Any

from benchmaker.scoring.judge.criteria import JudgeCriterion
from benchmaker.scoring.judge.expect import Expect

Schema = dict[str, Any]  # JSON Schema is open by its nature


def reply_schema(expect: Expect, *, nonce: str = "") -> Schema:
    """JSON Schema of the reply to a judging prompt.

    With a nonce, that value alone is allowed; without one, any text is, and the parser looks.

    >>> list(reply_schema(Expect())["properties"])
    ['evidence', 'rationale', 'score', 'confidence', 'cannot_judge', 'nonce']
    """
    judged = _judgement_schema(expect)
    before = {} if "criteria" in judged else {"evidence": _text("Words of the answer, quoted.")}
    return _object(
        {
            **before,
            **({"criteria": judged["criteria"]} if "criteria" in judged else {}),
            "rationale": _text("Why, in one to three sentences."),
            **{name: form for name, form in judged.items() if name != "criteria"},
            "confidence": {"type": "number", "description": "From 0 to 1."},
            "cannot_judge": {
                "type": "boolean",
                "description": "True where no judgement is possible.",
            },
            "nonce": _nonce(nonce),
        }
    )


def checklist_schema(*, nonce: str = "") -> Schema:
    """JSON Schema of the reply to ``checklist_making_prompt``."""
    items = {"type": "array", "items": _text("A question to be answered by yes or no.")}
    return _object({"items": items, "nonce": _nonce(nonce)})


def _judgement_schema(expect: Expect) -> Schema:
    """Return the schema of the judgement itself."""
    if expect.mode == "pairwise":
        choices = ["A", "B", "tie"] if expect.ties else ["A", "B"]
        return {"verdict": {"type": "string", "enum": choices}}
    if expect.categories:
        return {"verdict": {"type": "string", "enum": [it.id for it in expect.categories]}}
    if not expect.sums:
        return {"score": {"type": "number", "description": f"From {expect.scale}."}}
    return {"criteria": {"type": "array", "items": _entry(expect)}}


def _entry(expect: Expect) -> Schema:
    ids = [criterion.id for criterion in expect.criteria]
    if expect.mode == "checklist":
        given: Schema = {"met": {"type": "boolean"}}
    else:
        levels = "; ".join(_levels(criterion, expect) for criterion in expect.criteria)
        given = {"level": {"type": "number", "description": levels}}
    evidence = _text("Words of the answer, quoted.")
    return _object({"id": {"type": "string", "enum": ids}, "evidence": evidence, **given})


def _levels(criterion: JudgeCriterion, expect: Expect) -> str:
    if not criterion.levels:
        return f"{criterion.id}: from {expect.scale}"
    return f"{criterion.id}: " + ", ".join(f"{level:g}" for level in sorted(criterion.levels))


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _nonce(nonce: str) -> Schema:
    about = "The nonce given in the instructions, unchanged."
    fixed: Schema = {"enum": [nonce]} if nonce else {}
    return {"type": "string", "description": about, **fixed}
