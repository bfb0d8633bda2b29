"""An index of Claude Code's logs for a status line, which reads only new bytes.

It reads the same answers from the same rows as the importer, and uses only the standard library,
since a status line has no time to load more.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.util import find_spec
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tool_places import VARIABLE, log_folders
from benchmaker.store.agentic.log_index import AnswerIndex, IndexedAnswer, IndexedFile

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.sessions.status_line_rates import Step

TOOL = "Claude Code"
_MARK = b'"usage"'
_TAIL = 64
_MOST = 10**12
_UNIQUE_FROM = 16
"""Shorter ids mean something within their session only."""
Kinds = tuple[int | None, int | None, int | None, int | None, int | None]

_NO_MODEL = "<synthetic>"
_AGENT = "agent-"


def refresh(index: AnswerIndex, environ: Mapping[str, str], home: Path) -> None:
    """Bring the index up to date with the logs, and price the new answers.

    A file that has grown is read from its former end; one that was cut, replaced or rewritten is
    read again as a whole; the answers of one that is gone are removed.
    """
    known = index.files()
    there = dict(_logs(environ))
    changed = {path: stat for path, stat in there.items() if _has_changed(known.get(path), stat)}
    gone = [number for path, (number, _) in known.items() if path not in there]
    prices = _prices(home)
    with index.write():
        index.use_prices(prices)
        for number in gone:
            index.forget(number)
        for path, stat in sorted(changed.items()):
            _read(index, path, stat, known.get(path))
        _price(index, home)


def _logs(environ: Mapping[str, str]) -> Iterator[tuple[str, os.stat_result]]:
    """The logs below the folders of Claude Code, each with its file status."""
    for folder in log_folders(environ):
        if folder.tool == TOOL or VARIABLE in environ:
            for root, _, names in os.walk(folder.path.resolve()):
                for name in names:
                    path = os.path.join(root, name)  # noqa: PTH118  a status line has no time
                    if not name.endswith(".jsonl") or _text(path) is None:
                        continue
                    if not os.path.islink(path):  # noqa: PTH114
                        with suppress(OSError):
                            yield path, os.stat(path)  # noqa: PTH116


def _has_changed(known: tuple[int, IndexedFile] | None, stat: os.stat_result) -> bool:
    if known is None:
        return True
    file = known[1]
    before = (file.device, file.inode, file.size, file.modified_ns)
    return before != (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)


def _read(
    index: AnswerIndex,
    path: str,
    stat: os.stat_result,
    known: tuple[int, IndexedFile] | None,
) -> None:
    """Read the new bytes of a file; all of it where it is another file than before."""
    session = _session(Path(path))
    answers: dict[str, IndexedAnswer] = {}
    try:
        with Path(path).open("rb") as stream:
            done = start = _resume_offset(stream, stat, known)
            stream.seek(start)
            for line in stream:
                if _MARK in line:
                    _take(answers, line, session, f"{path}:{done}")
                if line.endswith(b"\n"):  # what is not written to its end is read again
                    done += len(line)
            tail = _bytes_before(stream, done)
    except OSError:  # gone meanwhile, or not ours to read
        return
    if known is not None and not start:
        index.forget(known[0])
    sign = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)
    number = index.put_file(IndexedFile(path, session, *sign, done, tail))
    if answers:
        index.add(number, answers)


def _resume_offset(stream: Any, stat: os.stat_result, known: tuple[int, IndexedFile] | None) -> int:  # noqa: ANN401  an open file
    """Return the offset up to which the file was read; 0 if it is another file."""
    if known is None:
        return 0
    file = known[1]
    is_same = (file.device, file.inode) == (stat.st_dev, stat.st_ino)
    has_grown = stat.st_size > file.size
    if is_same and has_grown and _bytes_before(stream, file.done) == file.tail:
        return file.done
    return 0


def _bytes_before(stream: Any, at: int) -> bytes:  # noqa: ANN401  an open file
    """The last bytes before a place."""
    start = max(0, at - _TAIL)
    stream.seek(start)
    found: bytes = stream.read(at - start)
    return found


def _session(path: Path) -> str:
    """The session of a file; a subagent's file lies below the folder of its session."""
    if path.name.startswith(_AGENT) and path.parent.name == "subagents":
        return path.parent.parent.name
    return path.stem


def _take(answers: dict[str, IndexedAnswer], line: bytes, session: str, place: str) -> None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return
    found = _answer(row, None)
    if found is None:
        return
    name, answer = found
    key = place if not name else name if len(name) >= _UNIQUE_FROM else f"{session} {name}"
    known = answers.get(key)
    answers[key] = answer if known is None else known.merge(answer)


def _answer(row: Any, at: float | None) -> tuple[str, IndexedAnswer] | None:  # noqa: ANN401  JSON of any shape
    """The id and the answer of a row, or of the subagent's row that it wraps."""
    if not isinstance(row, dict):
        return None
    at = seconds(row.get("timestamp")) or at
    message, data = row.get("message"), row.get("data")
    if not isinstance(message, dict):
        is_wrapped = isinstance(data, dict) and data.get("type") == "agent_progress"
        return _answer(data.get("message"), at) if isinstance(data, dict) and is_wrapped else None
    usage, model = message.get("usage"), _text(message.get("model"))
    if not _is_answer(row, message) or not isinstance(usage, dict) or model == _NO_MODEL:
        return None
    sent, read, short, long, made = _kinds(usage)
    names = (_text(message.get("id")), _text(row.get("requestId")), _text(row.get("uuid")))
    name = next(filter(None, names), "")
    return name, IndexedAnswer(
        at, model, sent, read, short, long, made, _dollars(row.get("costUSD"))
    )


def _is_answer(row: dict[str, Any], message: dict[str, Any]) -> bool:
    """True if it is a message of the model; old versions omit the type of a row."""
    kind = row.get("type")
    is_model = kind == "assistant" or (kind is None and message.get("role") == "assistant")
    return is_model and not row.get("isApiErrorMessage")


def _text(value: Any) -> str | None:  # noqa: ANN401  JSON of any shape
    """A text that SQLite can store, which one with lone surrogates is not; None for the rest."""
    if not isinstance(value, str):
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _dollars(value: Any) -> float | None:  # noqa: ANN401  JSON of any shape
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= _MOST else None


def _kinds(usage: dict[str, Any]) -> Kinds:
    """Input, cache read, cache writes for 5 minutes and an hour, output."""
    names = ("input_tokens", "cache_read_input_tokens", "output_tokens")
    sent, read, made = (_count(usage.get(name)) for name in names)
    total = _count(usage.get("cache_creation_input_tokens"))
    split = usage.get("cache_creation")
    if not isinstance(split, dict):
        return sent, read, total, None, made
    short = _count(split.get("ephemeral_5m_input_tokens"))
    long = _count(split.get("ephemeral_1h_input_tokens"))
    if total is None:
        return sent, read, short, long, made
    kept = min(long or 0, total)
    return sent, read, total - kept, kept, made


def _count(value: Any) -> int | None:  # noqa: ANN401  JSON of any shape
    return value if type(value) is int and 0 <= value <= _MOST else None


def _prices(home: Path) -> str:
    """A text that changes when the user's prices or the package of the price list do."""
    spec = find_spec("genai_prices")
    places = [home / "prices.yaml", Path(spec.origin).parent if spec and spec.origin else home]
    found = []
    for place in places:
        with suppress(OSError):
            stat = place.stat()
            found.append(f"{stat.st_mtime_ns}/{stat.st_size}")
    return " ".join(found)


def _price(index: AnswerIndex, home: Path) -> None:
    """Compute the cost of new answers; unknown prices are looked up first."""
    waiting = index.unpriced_answers()
    if not waiting:
        return
    rates = index.rates()
    missing = {key for _, _, one in waiting if (key := _of_day(one)) not in rates}
    if missing:
        from benchmaker.arenas.agentic.sessions.status_line_rates import rates_of  # noqa: PLC0415  loads much

        found = rates_of(missing, home)
        index.put_rates(found)
        rates |= found
    index.price([(_cost(rates[_of_day(one)], one), key, file) for key, file, one in waiting])


def _of_day(answer: IndexedAnswer) -> tuple[str, str]:
    """The model and the day (UTC) whose prices count for an answer."""
    day = "" if answer.at is None else datetime.fromtimestamp(answer.at, UTC).date().isoformat()
    return answer.model or "", day


def _cost(steps: "list[Step] | None", answer: IndexedAnswer) -> float | None:
    """Dollars of an answer at rates by the size of its input; None where they are not known."""
    if not answer.tokens:
        return 0.0
    has_input = answer.input is not None or answer.cache_read is not None
    if steps is None or not has_input or answer.output is None:
        return None
    kinds = [n or 0 for n in answer.kinds]
    size = sum(kinds[:-1])
    _, per_token, request = [step for step in steps if size > step[0]][-1]
    costs = [n * usd for n, usd in zip(kinds, per_token, strict=True) if n and usd is not None]
    is_known = len(costs) == sum(n > 0 for n in kinds)
    return fsum(costs) + request if is_known else None
