"""Formats of values on pages: one filter each, with the same words as in reports."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup, escape

from benchmaker.record import Outcome, failure_words, group_of
from benchmaker.record.counts import count
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise, truncate
from benchmaker.spec.documents.sizes import readable_size

_SHOWN = 2_000


def format_score(value: float | None) -> str:
    """A score of 0 to 1 as 0 to 100, or the word for none."""
    return "unscored" if value is None else numbers.score(value)


def format_money(usd: float | None) -> str:
    """Dollars, or "unknown"."""
    return "unknown" if usd is None else numbers.money(usd)


def format_tokens(count: int | None) -> str:
    """Tokens, or "not reported"."""
    return "not reported" if count is None else numbers.tokens(count)


def format_duration(seconds: float | None) -> str:
    """Seconds in words, or "not reported"."""
    return "not reported" if seconds is None else numbers.duration(seconds)


def format_time(stamp: str | None) -> str:
    """A stored time as ``2026-11-20 14:02``, in the zone of this machine."""
    if not stamp:
        return "not reported"
    try:
        at = datetime.fromisoformat(stamp)
    except ValueError:
        return sanitise(stamp)
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return at.astimezone().strftime("%Y-%m-%d %H:%M")


def line(text: object) -> str:
    """Anybody's text on one line, harmless and cut."""
    return truncate(sanitise(str(text)), _SHOWN)


_FIGURES = re.compile(r"\bp [=<>≥≤] [\d.]+|\[[\d.,−% –to]{1,40}\]")


def sentence(text: object) -> str:
    """Return a line in which no line break separates a p-value or an interval.

    >>> sentence("a leads (p = 0.12).").replace("\N{NO-BREAK SPACE}", "_")
    'a leads (p_=_0.12).'
    """
    return _FIGURES.sub(lambda it: it[0].replace(" ", "\N{NO-BREAK SPACE}"), line(text))


_LONGEST_NAME, _SHORT_NAME, _LONGEST_END, _SHORTEST_END, _END = 56, 24, 16, 7, 12


def model_name(text: object) -> Markup:
    """Return the name of a model whose end stays on one line; a long one is cut in the middle.

    The lines of its beginning end after a ``/``.

    The end identifies a model of an endpoint: what follows the last ``/`` or ``#``, or about the
    last 12 characters, from a hyphen, colon or space on. A long name is whole as a title; a cut
    one also for screen readers.

    >>> str(model_name("openai/gpt-4o")), "…" in model_name("http://127.0.0.1:8000/v1#quick")
    ('openai/gpt-4o', False)
    """
    name = line(text)
    if len(name) <= _SHORT_NAME:
        return escape(name)
    at = max(name.rfind("/"), name.rfind("#"))
    at = at if at > 0 and len(name) - at <= _LONGEST_END else _last_word(name)
    head, end = name[:at], name[at:]
    if len(name) <= _LONGEST_NAME:
        return Markup('<span title="{}">{}<wbr><span class="whole">{}</span></span>').format(
            name, _break_at_slashes(head), end
        )
    cut = head[: _LONGEST_NAME - len(end) - 1]
    return Markup(
        '<span title="{}"><span class="sr">{}</span>'
        '<span aria-hidden="true">{}…<wbr><span class="whole">{}</span></span></span>'
    ).format(name, name, _break_at_slashes(cut), end)


def _break_at_slashes(text: str) -> Markup:
    """The text with a place for a line break after each ``/``."""
    return Markup("/<wbr>").join(text.split("/"))


def _last_word(name: str) -> int:
    """The place behind the mark that leaves an end of about 12 characters."""
    first, last = len(name) - _LONGEST_END, len(name) - _SHORTEST_END
    places = [at for at in range(first, last + 1) if name[at - 1] in "-:@ "]
    usual = len(name) - _END
    return min(places, key=lambda at: abs(at - usual), default=usual)


_CODE = re.compile(r"``(.+?)``")


def prose(text: object) -> Markup:
    """Return the first line of a docstring with its code as elements, escaped.

    >>> str(prose("Scores ``max`` <b>."))
    'Scores <code>max</code> &lt;b&gt;.'
    """
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(line(text)))))  # noqa: S704  escaped


def block(text: object) -> str:
    """Return untrusted multi-line text, escaped and possibly truncated."""
    return sanitise(str(text), lines=True)


def outcome_kind(outcome: object) -> str:
    """The group of an outcome, which is also the class of its chip."""
    return group_of(Outcome(str(outcome)))


def icon(name: str, *, turning: bool = False) -> Markup:
    """Return an icon of the sprite; the adjacent word has the same meaning."""
    turn = " spin" if turning else ""
    return Markup(
        '<svg class="ic{}" viewBox="0 0 12 12" aria-hidden="true"><use href="#i-{}"/></svg>'
    ).format(turn, name)


FILTERS: dict[str, Callable[..., Any]] = {
    "score": format_score,
    "share": numbers.share,
    "interval": numbers.interval,
    "difference": numbers.difference,
    "fixed": numbers.fixed_point,
    "p_value": numbers.p_value,
    "money": format_money,
    "tokens": format_tokens,
    "duration": format_duration,
    "when": format_time,
    "size": readable_size,
    "line": line,
    "sentence": sentence,
    "prose": prose,
    "model_name": model_name,
    "block": block,
    "counted": count,
    "capitalised": capitalise,
    "outcome_kind": outcome_kind,
    "failure": failure_words,
}
"""The filters by their names in templates."""
