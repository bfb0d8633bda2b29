"""Output of commands: results on stdout, everything else on stderr, controls escaped.

With ``--json``, stdout has JSON alone. Where both streams are one pipe or file, as after ``2>&1``,
messages are left out, so that a program can read the JSON; see :func:`json_alone`.
"""

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

import click


def escape_controls(text: str) -> str:
    r"""Return the text with terminal controls made visible; tabs and line ends are kept.

    >>> escape_controls("a\x1b[2Jb")
    'a␛[2Jb'
    """
    if all(line.isprintable() for line in text.split("\n")):
        return text
    from benchmaker.report.tables.sanitize import sanitise

    return sanitise(text, lines=True)


def one_line(text: str, width: int) -> str:
    r"""The text on one line, cut to the width with an ellipsis.

    >>> one_line("first\nsecond", 8)
    'first s…'
    """
    flat = " ".join(escape_controls(text[: width * 4]).split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def say(text: str = "") -> None:
    """A result, on stdout."""
    _print(escape_controls(text), sys.stdout)


def say_hint(text: str) -> None:
    """A sentence on stdout that ends with a command: the command has its own line if it is long."""
    _print(_laid_out(text, sys.stdout), sys.stdout)


def tell(text: str = "") -> None:
    """Write a message to stderr, on lines of the window's width; a closed stream is ignored.

    Long lines are kept where there is no window. A long command has a line of its own. Inside
    :func:`json_alone` nothing is written.
    """
    if not _messages.are_left_out:
        _tell(_laid_out(text, sys.stderr))


def tell_as_is(text: str) -> None:
    """Write text for programs, such as a log record or a traceback, to stderr, line by line."""
    _tell(escape_controls(text))


def tell_warning(text: str) -> None:
    """Write a log record of a library to stderr; nothing inside :func:`json_alone`."""
    if not _messages.are_left_out:
        tell_as_is(text)


class _Messages:
    """Whether messages are written."""

    are_left_out = False


_messages = _Messages()


@contextlib.contextmanager
def json_alone(*, use_json: bool) -> Iterator[None]:
    """Leave messages out of the block if JSON is printed to the stream that they go to."""
    before = _messages.are_left_out
    _messages.are_left_out = use_json and _streams_are_one()
    try:
        yield
    finally:
        _messages.are_left_out = before


def _streams_are_one() -> bool:
    """True if stdout and stderr are the same pipe or file; a terminal is for people."""
    try:
        streams = [os.fstat(stream.fileno()) for stream in (sys.stdout, sys.stderr)]
        return os.path.samestat(*streams) and not sys.stdout.isatty()
    except (AttributeError, OSError, ValueError):  # closed, or no file
        return False


def _tell(text: str) -> None:
    try:
        _print(text, sys.stderr)
    except OSError:
        silence(sys.stderr)


def say_wrapped(text: str) -> None:
    """A sentence on stdout, on lines of the window's width."""
    _print(_lay_in_lines(text, sys.stdout), sys.stdout)


def say_beside(label: str, text: str) -> None:
    """A label and a text on stdout; lines after the first are indented to the label's width.

    Long lines are wrapped where there is a window.
    """
    from benchmaker.report.tables.width import LEAST, window_of, wrap_lines

    window = None if sys.stdout is None else window_of(sys.stdout)
    room = None if window is None else max(LEAST // 2, window - len(label))
    first, *more = wrap_lines(escape_controls(text), room) or [""]
    lines = (f"{label}{first}".rstrip(), *(f"{'':<{len(label)}}{line}".rstrip() for line in more))
    _print("\n".join(lines), sys.stdout)


def say_hash(label: str, digest: str) -> None:
    """A hash on stdout; in two lines where the window is too narrow for one."""
    from benchmaker.report.tables.width import window_of

    window = None if sys.stdout is None else window_of(sys.stdout)
    if window is None or len(label) + len(digest) <= window:
        _print(f"{label}{digest}", sys.stdout)
        return
    half = (len(digest) + 1) // 2
    _print(f"{label}{digest[:half]}\n{'':<{len(label)}}{digest[half:]}", sys.stdout)


def say_json(value: Any) -> None:  # noqa: ANN401  whatever encodes as JSON
    """A result as JSON, indented, on stdout; escaped where the stream's encoding is not Unicode."""
    _print(json_text(value), sys.stdout)


def say_json_part(text: str) -> None:
    """Write a piece of a JSON text that is too long for memory to stdout."""
    _print(text, sys.stdout)


def json_text(value: Any) -> str:  # noqa: ANN401  whatever encodes as JSON
    """The value as indented JSON, escaped where the encoding of stdout is not Unicode."""
    import json

    import msgspec

    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    is_unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    return text if is_unicode else json.dumps(json.loads(text), indent=2)


def _laid_out(text: str, stream: TextIO | None) -> str:
    """The text with its controls escaped, in lines where there is a window.

    Long commands are on lines of their own.
    """
    from benchmaker.report.tables.commands import lay_out_hints, wrap_message
    from benchmaker.report.tables.width import WIDTH, window_of

    width = None if stream is None else window_of(stream)
    clean = escape_controls(text)
    return lay_out_hints(clean, WIDTH) if width is None else wrap_message(clean, width)


def _lay_in_lines(text: str, stream: TextIO | None) -> str:
    """A sentence in lines; a command at its end stays on one line."""
    from benchmaker.report.tables.commands import wrap_hint
    from benchmaker.report.tables.width import WIDTH, width_of

    return wrap_hint(escape_controls(text), WIDTH if stream is None else width_of(stream))


def _print(text: str, stream: TextIO | None) -> None:
    """Print to the stream itself: for an ASCII one, Click by default makes its own beside it."""
    if stream is not None:
        click.echo(text, file=stream)


def make_streams_forgiving() -> None:
    """Let text that the terminal's encoding lacks be approximated instead of raising."""
    codecs.register_error("benchmaker", _replace_unencodable)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.closed:
            stream.reconfigure(errors="benchmaker")


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    from benchmaker.report.tables.sanitize import make_encodable

    return make_encodable(error.object[error.start : error.end], error.encoding), error.end


@contextlib.contextmanager
def reader_may_leave() -> Iterator[None]:
    """Tolerate a closed stdout; the command continues and keeps its exit code."""
    try:
        yield
        flush()
    except BrokenPipeError:
        silence(sys.stdout)


def flush() -> None:
    """Flush all output so far."""
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def silence(stream: TextIO | None) -> None:
    """Redirect a stream to nothing, so that the interpreter's last flush is quiet."""
    if stream is None:
        return
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
