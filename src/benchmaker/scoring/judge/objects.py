"""The JSON objects in a reply, whole or repaired, each with its place."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmaker.scoring.judge.members import Members, parse_number
from benchmaker.scoring.judge.repair import repair_object
from benchmaker.scoring.judge.reply import Rung

_OPENS = re.compile(r"\{")
_MENDABLE = re.compile(r"\{\s{0,200}(?:[\"'“”‘`]|[A-Za-z_][A-Za-z0-9_]{0,60}\s{0,8}:|//|/\*|#)")  # noqa: RUF001
_FENCE = re.compile(r"^[ \t>]{0,8}```[^\n`]{0,40}$", re.MULTILINE)
_DECODER = json.JSONDecoder(object_pairs_hook=Members, parse_int=parse_number)
_TRIES = 200
_BLANK = "\ufeff \t\r\n"


@dataclass(frozen=True, slots=True)
class LocatedObject:
    """An object with its place and its repairs."""

    value: Members
    start: int
    end: int
    rung: Rung
    repairs: tuple[str, ...] = ()


def find_objects(text: str, *, structured: bool = False) -> list[LocatedObject]:
    """Return the outermost objects that are valid JSON, in order.

    A reply that is a JSON string containing an object is read as that object.
    """
    if (inner := _twice_encoded(text)) is not None:
        return [inner]
    block = _last_block(text)
    sound = []
    for value, start, end in _decode_objects(text):
        is_whole = not text[:start].strip(_BLANK) and not text[end:].strip()
        rung: Rung = "structured" if structured else "whole"
        if not is_whole:
            rung = "fenced" if block[0] <= start and end <= block[1] else "object"
        sound.append(LocatedObject(value, start, end, rung))
    return sound


def find_repaired_objects(text: str, sound: list[LocatedObject]) -> list[LocatedObject]:
    """Return the objects including repaired ones, which may contain valid ones."""
    found: list[LocatedObject] = []
    ends = {it.start: it.end for it in sound}
    at, tries = 0, 0
    while (opens := _OPENS.search(text, at)) is not None:
        at = ends.get(opens.start(), opens.end())
        if opens.start() in ends or tries >= _TRIES or not _MENDABLE.match(text, opens.start()):
            continue
        tries += 1
        if (repair := repair_object(text, opens.start())) is not None:
            at = repair.end
            found.append(LocatedObject(repair.value, opens.start(), at, "repaired", repair.repairs))
    spans = [(it.start, it.end) for it in found]
    outside = [it for it in sound if not any(a <= it.start and it.end <= b for a, b in spans)]
    return sorted([*found, *outside], key=lambda it: it.start)


def _decode_objects(text: str) -> Iterator[tuple[Members, int, int]]:
    """Objects that the decoder reads; failed attempts are paid from a budget, by the length."""
    at, budget = 0, 8 * len(text) + 100_000
    while (opens := _OPENS.search(text, at)) is not None and budget > 0:
        at = opens.end()
        try:
            value, end = _DECODER.raw_decode(text, opens.start())
        except json.JSONDecodeError as exc:
            budget -= max(0, exc.pos - opens.start()) + len(text) // 32 + 64
        except (ValueError, RecursionError):
            budget -= len(text)
        else:
            yield value, opens.start(), end
            at = end


def _twice_encoded(text: str) -> LocatedObject | None:
    plain = text.strip()
    if not (plain.startswith('"') and plain.endswith('"')):
        return None
    try:
        value = _DECODER.decode(_DECODER.decode(plain))
    except (ValueError, TypeError, RecursionError):
        return None
    is_object = isinstance(value, Members)
    return LocatedObject(value, 0, len(text), "repaired", ("JSON in JSON",)) if is_object else None


def _last_block(text: str) -> tuple[int, int]:
    """Return the span of the last fenced block; an empty span if there is none."""
    fences = [fence.span() for fence in _FENCE.finditer(text)]
    if not fences:
        return (-1, -1)
    if len(fences) % 2:
        return (fences[-1][1], len(text))
    return (fences[-2][1], fences[-1][0])
