"""Commands at the end of a hint: never broken over lines, so that they can be copied."""

import re
from collections.abc import Callable
from typing import NamedTuple

from benchmaker.report.tables.width import KEPT_SPACE, wrap_whole

_COMMAND = re.compile(
    r"(?<=:)( +)((?:'[^'\n]*/benchmaker'|(?:[^\s']*/)?benchmaker|[^\s']+ -m benchmaker"
    r"|pip install|sudo|export)"
    r" [a-z-][^\n]*)$",
    re.MULTILINE,
)
_CODE = re.compile(r"`[^`\n]+`")
_INDENT = "  "


class Hint(NamedTuple):
    """A hint and the command at its end, empty where it has none; ``gap`` is between them."""

    head: str
    gap: str
    command: str


def split_hint(text: str) -> Hint:
    """The hint without its command, and the command.

    >>> split_hint("Resume with: benchmaker resume r1").command
    'benchmaker resume r1'
    """
    found = _COMMAND.search(text)
    if not found or found.end() != len(text):
        return Hint(text, "", "")
    return Hint(text[: found.start()], found[1], found[2])


def wrap_hint(text: str, width: int) -> str:
    r"""A sentence in lines; a command at its end stays on one line, its own where it must.

    >>> wrap_hint("Resume the run with: benchmaker resume r1", 30)
    'Resume the run with:\n  benchmaker resume r1'
    """
    hint = split_hint(text)
    head = "\n".join(wrap_whole(hint.head, width))
    return _join(head, hint, width)


def wrap_message(text: str, width: int) -> str:
    r"""A text whose lines are kept, the long ones wrapped; no command, path or URL is broken.

    >>> wrap_message("2 of 3 files not read.\n  Run `make setup` first.", 20)
    '2 of 3 files not\nread.\n  Run `make setup`\n    first.'
    """
    return "\n".join(_wrap_line(line, width) for line in text.split("\n"))


def _wrap_line(line: str, width: int) -> str:
    """A line in lines, those after the first indented if it is; commands on their own are kept."""
    hint = split_hint(line)
    if split_hint(f": {line.strip()}").head == ":" and not hint.command:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    kept = _CODE.sub(lambda found: found[0].replace(" ", KEPT_SPACE), hint.head)
    lines = wrap_whole(kept, width, subsequent_indent=f"{indent}{_INDENT}" if indent else "")
    return _join("\n".join(lines), hint, width)


def lay_out_hints(text: str, width: int) -> str:
    """A text whose lines are kept; a command at the end of a long line has a line of its own."""
    hints = map(split_hint, text.split("\n"))
    return "\n".join(_join(one.head, one, width) for one in hints)


def _join(head: str, hint: Hint, width: int) -> str:
    if not hint.command:
        return head
    last = head.rsplit("\n", 1)[-1]
    fits = len(last) + len(hint.gap) + len(hint.command) <= width
    gap = hint.gap if fits else f"\n{_INDENT}"
    return f"{head}{gap}{hint.command}"


def replace_command(text: str, replaced: Callable[[str], str]) -> str:
    """The text with another command at its end; without one, the same."""
    hint = split_hint(text)
    return f"{hint.head}{hint.gap}{replaced(hint.command)}" if hint.command else text
