"""An answer while it is being put together."""

import re
from functools import lru_cache
from itertools import islice
from typing import Any

from benchmaker.providers.protocols.finish import finish_of
from benchmaker.providers.protocols.token_logprobs import MOST_TOKENS, read_logprobs
from benchmaker.providers.protocols.tool_calls import ReplyCalls
from benchmaker.providers.protocols.usage import read_usage
from benchmaker.record import FinishReason, TokenLogprob, Usage

_ALIAS = re.compile(r"-(?:latest|0)$")
_DATE = re.compile(r"-(\d{3,4}|\d{6}|\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{2}-\d{4})$|@([\w-]+)$")
_TAG = re.compile(r":(?:latest|free|beta|nitro|floor|online|extended)$")


@lru_cache(maxsize=1024)
def is_same_model(requested: str, named: str) -> bool:
    """True if both names mean one model: the owner, a date and an alias's suffix are ignored.

    Two names with different dates are two models.

    >>> is_same_model("gpt-x", "gpt-x-2025-04-14"), is_same_model("gpt-x", "gpt-x-mini")
    (True, False)
    """
    if requested == named:
        return True
    (one, day), (other, other_day) = _parts(requested), _parts(named)
    return one == other and (not day or not other_day or day == other_day)


def _parts(name: str) -> tuple[str, str]:
    """A name without owner, tag and alias's ending, and its date."""
    bare = _ALIAS.sub("", _TAG.sub("", name.casefold().rpartition("/")[2]))
    date = _DATE.search(bare)
    if date is None:
        return bare, ""
    return bare[: date.start()], (date.group(1) or date.group(2)).replace("-", "")


OTHER_MODEL = "other_model"
NO_FINISH = "no_finish"
NO_DONE = "no_done"
UNKNOWN_FINISH = "unknown_finish"
TOOL_CALL = "tool_call"
REASONING_ONLY = "reasoning_only"
USAGE_ZERO = "usage_zero"

_MAY_CALL = (FinishReason.STOP, FinishReason.UNKNOWN)
_TOOL_ENDS = frozenset({"tool_calls", "function_call", "tool_use"})
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class PartialAnswer:
    """The part of an answer received so far.

    ``finish`` is the provider's own word, ``reply_id`` its id of the reply. ``usage`` is the latest
    raw report. ``calls`` collects tool calls if tools were offered; else it is None.
    """

    __slots__ = (
        "calls", "finish", "has_reasoning", "is_refusal", "is_reply", "logprobs", "model", "parts",
        "reply_id", "tools", "usage",
    )  # fmt: skip

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.finish: str | None = None
        self.usage: Any = None
        self.model: str | None = None
        self.reply_id: str | None = None
        self.is_refusal = False
        self.has_reasoning = False
        self.tools = False
        self.is_reply = False
        self.logprobs: list[TokenLogprob] = []
        self.calls: ReplyCalls | None = None

    def add_logprobs(self, reported: Any) -> None:  # noqa: ANN401  any JSON
        """Keep the log probabilities of further tokens, up to the number that is kept."""
        room = MOST_TOKENS - len(self.logprobs)
        if room > 0:
            self.logprobs.extend(islice(read_logprobs(reported), room))

    def finish_as_reply(self) -> None:
        """Treat the following tool call as the answer itself, in the requested form."""
        self.is_reply = True

    def name(self, model: str | None, reply_id: object) -> None:
        """Store the reply's names for its model and itself, at their first occurrence."""
        self.model = self.model or model
        if self.reply_id is None and isinstance(reply_id, str) and reply_id:
            self.reply_id = reply_id

    @property
    def has_begun(self) -> bool:
        """True if any piece of the answer was received."""
        return bool(self.parts) or self.has_reasoning or self.tools

    @property
    def text(self) -> str:
        """The text so far; a character whose halves came apart is put together again."""
        text = "".join(self.parts)
        return text if text.isascii() else _PAIR.sub(_join_surrogates, text)

    def reason(self) -> FinishReason:
        """Return the finish reason."""
        if self.is_refusal:
            return FinishReason.REFUSAL
        if self.is_reply and self.finish == "tool_use" and not self.calls:
            return FinishReason.STOP
        known = finish_of(self.finish)
        return FinishReason.TOOL_CALLS if self.calls and known in _MAY_CALL else known

    def flags(self, *, requested: str) -> list[str]:
        """Return flags: an unusual ending, tool calls, another model than the requested one."""
        found = []
        if self.finish is None:
            found.append(NO_FINISH)
        elif self.calls:
            pass
        elif self.tools or (not self.is_reply and self.finish in _TOOL_ENDS):
            found.append(TOOL_CALL)
        elif self.reason() is FinishReason.UNKNOWN:
            found.append(UNKNOWN_FINISH)
        if self.has_reasoning and not self.tools and not any(map(str.strip, self.parts)):
            found.append(REASONING_ONLY)
        if self.model and not is_same_model(requested, self.model):
            found.append(OTHER_MODEL)
        return found


def read_live_usage(reported: Any, *, has_text: bool) -> Usage | None:  # noqa: ANN401  any JSON
    """Return the usage in a live report; None without one.

    In addition to the values dropped by :func:`~benchmaker.providers.protocols.usage.read_usage`,
    zero counts for sent or received text are dropped.
    """
    usage = read_usage(reported)
    if usage is None or usage.flags:
        return usage
    sent = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_5m_tokens,
            usage.cache_write_1h_tokens)  # fmt: skip
    is_sent_zero = usage.input_tokens is not None and not any(sent)
    if is_sent_zero or (has_text and usage.output_tokens == 0):
        return Usage(flags=(USAGE_ZERO,))
    return usage


def _join_surrogates(pair: re.Match[str]) -> str:
    return pair.group().encode("utf-16", "surrogatepass").decode("utf-16")
