"""Commands at the end of a hint, broken so that they can be copied: before an argument."""

import re
from collections.abc import Callable
from typing import NamedTuple

from benchmaker.report.tables.width import KEPT_SPACE, WIDTH, wrap_whole

_COMMAND = re.compile(
    r"(?<=:)( +)((?:'[^'\n]*/benchmaker'|(?:[^\s']*/)?benchmaker|[^\s']+ -m benchmaker"
    r"|pip install|sudo|export)"
    r" [a-z-][^\n]*)$",
    re.MULTILINE,
)
_CODE = re.compile(r"`[^`\n]+`")
_WORDS = re.compile(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+")
_INDENT = "  "
_CONTINUED = " \\"


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
    r"""A sentence in lines; a command at its end has its own line where it must.

    A command that is too long for a narrow window is continued with a backslash.

    >>> wrap_hint("Resume the run with: benchmaker resume r1", 30)
    'Resume the run with:\n  benchmaker resume r1'
    """
    hint = split_hint(text)
    head = "\n".join(wrap_whole(hint.head, width))
    if width < WIDTH:
        hint = hint._replace(command=break_command(hint.command, width - len(_INDENT)))
    return _join(head, hint, width)


def wrap_message(text: str, width: int) -> str:
    r"""A text whose lines are kept, the long ones wrapped; no argument, path or URL is broken.

    >>> wrap_message("2 of 3 files not read.\n  Run `make setup` first.", 20)
    '2 of 3 files not\nread.\n  Run `make setup`\n    first.'
    """
    return "\n".join(_wrap_line(line, width) for line in text.split("\n"))


def _wrap_line(line: str, width: int) -> str:
    """A line in lines, those after the first indented if it is; commands on their own are kept."""
    hint = split_hint(line)
    if split_hint(f": {line.strip()}").head == ":" and not hint.command:
        at = len(line) - len(line.lstrip())
        broken = break_command(line.strip(), width - at)
        return line[:at] + broken.replace("\n", f"\n{line[:at]}")
    indent = line[: len(line) - len(line.lstrip())]
    hint = hint._replace(command=break_command(hint.command, width - len(_INDENT)))
    kept = _CODE.sub(lambda found: found[0].replace(" ", KEPT_SPACE), hint.head)
    lines = wrap_whole(kept, width, subsequent_indent=f"{indent}{_INDENT}" if indent else "")
    return _join("\n".join(lines), hint, width)


def break_command(command: str, width: int) -> str:
    r"""A command in lines of a window, each but the last continued with a backslash.

    No argument is broken. The lines can be copied as they are.

    >>> print(break_command("benchmaker show r1 case --model a/b", 24))
    benchmaker show r1 \
        case --model a/b
    """
    if len(command) <= width:
        return command
    first, *rest = _parts(command)
    lines = [first]
    for part in rest:
        if len(lines[-1]) + len(part) + 1 + len(_CONTINUED) > width:
            lines.append(f"{2 * _INDENT}{part}")
        else:
            lines[-1] += f" {part}"
    return f"{_CONTINUED}\n".join(lines)


def _parts(command: str) -> list[str]:
    """The words of a command; an option and its value are one part."""
    parts: list[str] = []
    for word in _WORDS.findall(command):
        before = parts[-1] if parts else ""
        if before.startswith("--") and " " not in before and not word.startswith("-"):
            parts[-1] = f"{before} {word}"
        else:
            parts.append(word)
    return parts


def lay_out_hints(text: str, width: int) -> str:
    """A text whose lines are kept; a command at the end of a long line has a line of its own."""
    hints = map(split_hint, text.split("\n"))
    return "\n".join(_join(one.head, one, width) for one in hints)


def _join(head: str, hint: Hint, width: int) -> str:
    if not hint.command:
        return head
    last = head.rsplit("\n", 1)[-1]
    fits = "\n" not in hint.command and (len(last) + len(hint.gap) + len(hint.command) <= width)
    gap = hint.gap if fits else f"\n{_INDENT}"
    command = hint.command.replace("\n", f"\n{_INDENT}")
    return f"{head}{gap}{command}"


def replace_command(text: str, replaced: Callable[[str], str]) -> str:
    """The text with another command at its end; without one, the same."""
    hint = split_hint(text)
    return f"{hint.head}{hint.gap}{replaced(hint.command)}" if hint.command else text
