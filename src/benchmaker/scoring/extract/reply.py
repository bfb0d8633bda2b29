"""The part of a reply that speaks to the reader: without reasoning, channels, whole fences."""

import re
from itertools import islice
from typing import NamedTuple

from benchmaker.scoring.normalise import LANGUAGES

_NAMES = (
    r"think|thinking|thoughts?|reasoning|reflection|reflect|scratchpad|analysis|inner_monologue"
    r"|antthinking|seed:think|internal|monologue|rationale|cot|chain_of_thought"
)
_TAG = re.compile(
    rf"(?:<\s*(?P<close>/?)\s*(?:{_NAMES})\s*>|\[(?P<close2>/?)(?:{_NAMES})\]"
    rf"|◁(?P<close3>/?)(?:{_NAMES})▷|<\|(?P<begin>begin|end)_of_(?:thought|thinking)\|>)",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*(?:<\|message\|>)?")
_CHANNEL_END = re.compile(r"<\|(?:end|return|start|call)\|>")
_SPELLED_CHANNEL = re.compile(r"\Aanalysis(?=[A-Z\W]).*?assistant\s*final\s*(?=\S)", re.DOTALL)
_CONTROL = re.compile(r"<\|[a-z_]+\|>|</?s>|<(?:start|end)_of_turn>(?:model)?")
_FENCE_IN_LINE = re.compile(rf"```(?:(?:{LANGUAGES})(?=\s))?([^`\n]+)```", re.IGNORECASE)
_INFO = re.compile(r"[^\n`]*\n")
_NESTED = 4


def visible_part(text: str) -> str | None:
    """Return the reply without its reasoning; None if it was cut off before any answer.

    Reasoning stands between think-like tags, closed or open up to a closing tag, and in channels
    other than the final one. An unclosed tag hides the text after it.

    >>> visible_part("<think>Is it Cusco? No.</think> Lima"), visible_part("<think>Peru is in")
    (' Lima', None)
    """
    if "<|" in text or text.startswith("analysis"):
        final = _final_channel(text)
        if final is None:
            return None
        text = final
    if "<" in text or "[" in text or "◁" in text:
        return _without_tags(text)
    return text


def without_reasoning(text: str) -> str | None:
    """Return the reply after its opening reasoning; None if it ends within it.

    Later tags are words of the reply, which may be quotations.

    >>> without_reasoning("<think>score: 3</think>score: 7")
    'score: 7'
    """
    start = text.lstrip()
    if start.startswith(("<|channel|>", "<|start|>")):
        return _final_channel(start)
    first = _TAG.search(text)
    if first is None:
        return text
    if _closes(first):
        return text if "{" in text[: first.start()] else text[first.end() :]
    if text[: first.start()].strip():
        return text
    close = next(filter(_closes, _TAG.finditer(text, first.end())), None)
    return text[close.end() :] if close else None


def _closes(tag: re.Match[str]) -> bool:
    return bool(tag["close"] or tag["close2"] or tag["close3"] or tag["begin"] == "end")


def _final_channel(text: str) -> str | None:
    text = _SPELLED_CHANNEL.sub("", text)
    channels = list(_CHANNEL.finditer(text))
    if not channels:
        return _CONTROL.sub("", text) if "_of_th" not in text else text
    last = next((it for it in reversed(channels) if it[1].lower() == "final"), None)
    if last is None:
        return None
    end = _CHANNEL_END.search(text, last.end())
    return text[last.end() : end.start() if end else len(text)]


def _without_tags(text: str) -> str | None:
    tags = list(_TAG.finditer(text))
    if not tags:
        return text
    closing = list(filter(_closes, tags))
    if closing:
        rest = text[closing[-1].end() :]
        opened = next((it for it in tags if it.start() >= closing[-1].end()), None)
        rest = rest[: opened.start() - closing[-1].end()] if opened else rest
        if rest.strip():
            return rest
    before = text[: tags[0].start()]
    return before if before.strip() else None


def strip_fence(text: str) -> str:
    r"""The content of a code fence around the whole text, of several nested ones as well.

    >>> strip_fence("```python\n['a', 'b']\n```")
    "['a', 'b']"
    """
    for _ in range(_NESTED):
        block = text.strip()
        inner = _inside_fence(block) if block[:3] in {"```", "~~~"} else None
        if inner is None:
            break
        text = inner
    return text


def _inside_fence(block: str) -> str | None:
    """The content of a fence that is the whole block; None where it is not."""
    fence = block[: len(block) - len(block.lstrip(block[0]))]
    if len(block) < 2 * len(fence) or not block.endswith(fence):
        return None
    inside = block[len(fence) : -len(fence)]
    info = _INFO.match(inside)
    if info is None:
        line = _FENCE_IN_LINE.fullmatch(block)
        return line[1] if line else None
    content = inside[info.end() :]
    return None if fence in content else content.removesuffix("\n")


class FencedBlock(NamedTuple):
    """A fenced block, and the text before and after it."""

    before: str
    text: str
    after: str


def only_block(text: str) -> FencedBlock | None:
    r"""Return the only fenced block of a reply with other text; None if there are several.

    >>> only_block("Run:\n```sh\nls\n```\nIt lists files.").text
    'ls'
    """
    found = list(islice(_BLOCK.finditer(text), 2))
    if len(found) != 1 or text.count("```") != _FENCES:
        return None
    block = found[0]
    return FencedBlock(text[: block.start()], block["text"].strip(), text[block.end() :])


_FENCES = 2
_BLOCK = re.compile(r"^[ \t]*```[^\n`]*\n(?P<text>[^`]{1,2000}?)\n[ \t]*```[ \t]*$", re.MULTILINE)


def shorten_reply(text: str, *, head: int = 2_000, tail: int = 8_000) -> str:
    """Return the beginning and end of a long reply, cut at line ends if possible.

    The middle never decides, and the time is bounded for any reply.
    """
    if len(text) <= head + tail:
        return text
    first, last = text[:head], text[-tail:]
    cut = max(first.rfind("\n"), first.rfind(". ") + 1)
    start = last.find("\n")
    return f"{first[: cut if cut > 0 else head]}\n{last[max(start, 0) :]}"
