"""Documents: plain data as a class declares it, and the schema that says the same."""

import importlib
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, NamedTuple, get_type_hints

import pytest

import benchmaker
from benchmaker.documents import (
    FIRST,
    INLINE,
    OMITTED,
    Document,
    Key,
    NullIfEmpty,
    entries,
    listed,
    scale_of,
)
from benchmaker.web.document_shapes import shape_of


class Verdict(Enum):
    PASSED = "pass"


@dataclass(frozen=True, slots=True)
class Limits(Document):
    low: float
    high: float | None


class Span(NamedTuple):
    low: float
    high: float


def middle(span: Span) -> float:
    return (span.low + span.high) / 2


@dataclass(frozen=True, slots=True)
class Spans(Document):
    one: Annotated[Span, Key(form=middle)]
    other: Annotated[Span | None, Key("second", form=middle)] = None


@dataclass(frozen=True, slots=True)
class Plain:
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Whole(Document, scale="0-1"):
    warnings: tuple[str, ...]
    limits: Annotated[Limits, INLINE]
    counts: Mapping[str, int]
    verdict: Verdict
    plain: Plain
    unit: Annotated[str, Key(after=FIRST)]
    is_sure: Annotated[bool, Key("sure", after="low_first")] = False
    hidden: Annotated[object, OMITTED] = None
    reason: NullIfEmpty = ""

    @property
    @listed("low_first", after="unit")
    def is_low(self) -> bool:
        return self.limits.low < 1


def test_a_document_stands_as_it_is_declared():
    made = Whole(("a",), Limits(0.5, None), {"x": 1}, Verdict.PASSED, Plain(frozenset("b")), "s")
    expected = {
        "scale": "0-1",
        "unit": "s",
        "low_first": True,
        "sure": False,
        "warnings": ["a"],
        "low": 0.5,
        "high": None,
        "counts": {"x": 1},
        "verdict": "pass",
        "plain": {"names": ["b"]},
        "reason": None,
    }
    assert json.dumps(made.to_dict()) == json.dumps(expected)
    assert list(get_type_hints(shape_of(Whole))) == list(expected)


def test_a_form_makes_the_value_of_the_document():
    assert Spans(Span(0.0, 1.0)).to_dict() == {"one": 0.5, "second": None}
    assert get_type_hints(shape_of(Spans)) == {"one": float, "second": float | None}


def test_a_key_that_follows_none_is_refused():
    @dataclass(frozen=True)
    class Lost(Document):
        value: Annotated[int, Key(after="nowhere")]

    with pytest.raises(TypeError, match="Lost: value"):
        Lost(1).to_dict()


def documents() -> list[type]:
    for it in pkgutil.walk_packages(benchmaker.__path__, "benchmaker."):
        if it.name.split(".")[1] in {"analysis", "judging"}:
            importlib.import_module(it.name)
    made = {f"{kind.__module__}.{kind.__name__}": kind for kind in Document.__subclasses__()}
    return [kind for name, kind in sorted(made.items()) if name.startswith("benchmaker.")]


def test_the_schema_names_what_every_document_holds():
    kinds = documents()
    assert len(kinds) > 20
    for kind in kinds:
        own = ["scale"] if scale_of(kind) else []
        keys = [one.key.name for one in entries(kind) if not one.key.is_inline]
        held = list(get_type_hints(shape_of(kind)))
        assert [key for key in held if key in {*own, *keys}] == [*own, *keys], kind
