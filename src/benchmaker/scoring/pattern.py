r"""Patterns in suites, searched in a timed worker.

A pattern is ``/source/flags`` (split at the last slash) or the plain source. It is Python's
regular expression; JavaScript's named groups ``(?<name>`` and ``\k<name>`` are understood.
Compiling and searching happen in a timed worker, so that no pattern stalls the process.
"""

import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Self, cast

from benchmaker.errors import SandboxError, ScorerError, ScorerTimeout, SpecError

if TYPE_CHECKING:
    from benchmaker.sandbox import TimedWorker

PATTERN_BYTES = 10_000
"""Maximum length of a pattern, in bytes of UTF-8."""
TEXT_BYTES = 1_000_000
"""Maximum length of a searched text, in bytes of UTF-8."""
TIMEOUT_S = 1.0
"""The time limit of one search, and of one compilation."""

_MOST_SEARCHES = 4
"""How often a search is tried in processes that do not know the pattern."""

_Message = list[Any]  # JSON, in the forms that pattern_work describes
_SHOWN = 80
_DELIMITED = re.compile(r"/(.*)/([A-Za-z]*)", re.DOTALL)
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "u": re.UNICODE, "x": re.VERBOSE}
_IGNORED = {
    "g": "flag g has no effect: one match is enough",
    "y": "flag y has no effect: the whole text is searched",
    "d": "flag d has no effect: positions are always recorded",
}
_FLAGS_HINT = (
    "Use i, m, s, u or x; g, y and d have no effect. "
    "To start a plain pattern with a slash, write \\/."
)
_LEFT_ALONE = (
    r"\\(?!k<)."  # an escape
    r"|\[\^?\]?(?:\\.|[^\]\\])*"  # a set
    r"|\(\?#[^)]*"  # a remark
)
_JAVASCRIPT = r"(?P<group>\(\?<(?![=!]))|\\k<(?P<name>\w{1,99})>"
_TOKENS = f"{_LEFT_ALONE}|{_JAVASCRIPT}"
_TOKEN = re.compile(_TOKENS, re.DOTALL)
_VERBOSE_TOKEN = re.compile(rf"{_TOKENS}|#[^\n]*", re.DOTALL)
_VERBOSE_INSIDE = re.compile(r"\(\?[A-Za-z]*x")


@dataclass(frozen=True, slots=True)
class Match:
    """The position of a match in code points, with its groups from 1 on.

    A non-participating group is None.
    """

    start: int
    end: int
    text: str
    groups: tuple[str | None, ...] = ()
    names: Mapping[str, int] = field(default_factory=dict)

    def group(self, which: int | str = 0) -> str | None:
        """Return a group by number or name; 0 is the whole match; KeyError if it does not exist."""
        number = self.names[which] if isinstance(which, str) else which
        if not 0 <= number <= len(self.groups):
            raise KeyError(which)
        return self.groups[number - 1] if number else self.text


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern: its source as written, its flags out of ``imsux``, notes for the reader.

    >>> Pattern.parse("/(?<year>[0-9]{4})/gi").search("in 1969").group("year")
    '1969'
    """

    source: str
    flags: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``/source/flags`` or a plain source.

        Raises:
            SpecError: empty, too long, or an unknown flag.
        """
        if _is_longer(text, PATTERN_BYTES):
            raise SpecError(f"the pattern is longer than {PATTERN_BYTES:,} bytes.")
        delimited = _DELIMITED.fullmatch(text)
        source, letters = delimited.groups() if delimited else (text, "")
        if not source:
            raise SpecError("no pattern given.", hint="Use /pattern/flags or a plain pattern.")
        unique = dict.fromkeys(letters)
        if unknown := [letter for letter in unique if letter not in {**_FLAGS, **_IGNORED}]:
            raise SpecError(
                f"unknown flag {unknown[0]!r} in the pattern {text!r}.", hint=_FLAGS_HINT
            )
        notes = tuple(_IGNORED[letter] for letter in unique if letter in _IGNORED)
        return cls(source, "".join(sorted(unique.keys() & _FLAGS)), notes)

    @property
    def python(self) -> str:
        r"""The source in Python's dialect.

        >>> Pattern(r"(?<a>x)[(?<b>]\k<a>(?<=x)").python
        '(?P<a>x)[(?<b>](?P=a)(?<=x)'
        """
        is_verbose = "x" in self.flags or bool(_VERBOSE_INSIDE.match(self.source))
        return _translate(self.source, is_verbose=is_verbose)

    def check(self, *, timeout_s: float = TIMEOUT_S) -> None:
        """Compile it.

        Raises:
            SpecError: the pattern is invalid; the message explains why.
            ScorerTimeout: compiling takes longer than ``timeout_s`` seconds.
            SandboxError: it takes more memory than the worker has.
        """
        with self._attribute_errors():
            self._accept(_worker().call(self._request("compile"), timeout_s=timeout_s))

    def search(self, text: str, *, timeout_s: float = TIMEOUT_S) -> Match | None:
        """Return the first match anywhere in ``text``, or None.

        Raises:
            SpecError: the pattern is invalid.
            ScorerError: the text is longer than :data:`TEXT_BYTES`.
            ScorerTimeout: searching, or compiling before, takes longer than ``timeout_s`` seconds.
            SandboxError: it takes more memory than the worker has.
        """
        dialogue = self._dialogue(text)
        request = next(dialogue)
        with self._attribute_errors():
            while True:
                reply = _worker().call(request, timeout_s=timeout_s)
                try:
                    request = dialogue.send(reply)
                except StopIteration as done:
                    return cast("Match | None", done.value)

    async def asearch(self, text: str, *, timeout_s: float = TIMEOUT_S) -> Match | None:
        """Like :meth:`search`, for coroutines: does not block the event loop."""
        dialogue = self._dialogue(text)
        request = next(dialogue)
        with self._attribute_errors():
            while True:
                reply = await _worker().acall(request, timeout_s=timeout_s)
                try:
                    request = dialogue.send(reply)
                except StopIteration as done:
                    return cast("Match | None", done.value)

    def _dialogue(self, text: str) -> Generator[_Message, _Message, Match | None]:
        """Requests out, replies in: search, and compile where the worker asks for it.

        A process that is ended because a search takes too long leaves a new one, which asks again.
        """
        if _is_longer(text, TEXT_BYTES):
            raise ScorerError(f"the text to search is longer than {TEXT_BYTES:,} bytes.")
        request = self._request("search", text)
        for _ in range(_MOST_SEARCHES):
            reply = yield request
            if reply != ["unknown"]:
                return _match(reply[1], text)
            self._accept((yield self._request("compile")))
        raise ScorerTimeout(f"timed out in {_MOST_SEARCHES} processes.")

    def _request(self, verb: str, *more: str) -> _Message:
        return [verb, self.python, sum(_FLAGS[letter] for letter in self.flags), *more]

    def _accept(self, reply: _Message) -> None:
        if reply[0] == "bad":
            raise SpecError(f"invalid regular expression {_short_repr(self.source)}: {reply[1]}.")

    @contextmanager
    def _attribute_errors(self) -> Iterator[None]:
        """Add the pattern to the worker's errors."""
        try:
            yield
        except (ScorerTimeout, SandboxError) as exc:
            message = f"the pattern {_short_repr(self.source)}: {exc.message}"
            raise type(exc)(message, hint="Simplify it.") from exc


@cache
def _worker() -> "TimedWorker":
    from benchmaker.sandbox import TimedWorker  # noqa: PLC0415  for suites with patterns alone

    return TimedWorker("benchmaker.scoring.pattern_work:handle_request", is_pure=True)


def _is_longer(text: str, limit: int) -> bool:
    """True if the text has more UTF-8 bytes than the limit; encoded only if it is close."""
    if len(text) > limit:
        return True
    return len(text) * 4 > limit and len(text.encode("utf-8", "surrogatepass")) > limit


@lru_cache(maxsize=512)
def _translate(source: str, *, is_verbose: bool) -> str:
    """JavaScript's named groups and references as Python's; sets, escapes, remarks untouched."""
    token = _VERBOSE_TOKEN if is_verbose else _TOKEN
    return token.sub(_python_token, source)


def _python_token(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "group":
            return "(?P<"
        case "name":
            return f"(?P={found['name']})"
        case _:
            return found.group()


def _match(found: _Message | None, text: str) -> Match | None:
    if found is None:
        return None
    (whole, *spans), names = found
    groups = tuple(None if start < 0 else text[start:end] for start, end in spans)
    start, end = whole
    return Match(start, end, text[start:end], groups, names)


def _short_repr(source: str) -> str:
    return repr(source if len(source) <= _SHOWN else f"{source[:_SHOWN]}…")
