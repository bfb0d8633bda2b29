"""Frames of an exception's traceback in the program."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traceback import StackSummary

FILE = "solution.py"
"""The name of the program's file, in tracebacks too."""


def write_program(source: str) -> str:
    """Write the program into its file; return the path."""
    with open(FILE, "w", encoding="utf-8", errors="surrogatepass") as file:  # noqa: PTH123  see start.py
        file.write(source)
    return os.path.abspath(FILE)  # noqa: PTH100  as above


def frames_of(exc: BaseException) -> "StackSummary":
    """The frames of an exception's traceback."""
    import traceback  # noqa: PLC0415  for failures alone, it takes a while

    return traceback.extract_tb(exc.__traceback__)


def is_through_program(exc: BaseException) -> bool:
    """True if a frame of the program is in the traceback."""
    return any(it.filename == FILE for it in frames_of(exc))


def place_in_program(exc: BaseException) -> str:
    """The last line of the program's own code that an exception passed; empty for none."""
    frames = [it for it in frames_of(exc) if it.filename == FILE]
    if isinstance(exc, SyntaxError) and exc.filename == FILE:
        return f"{FILE}, line {exc.lineno}"
    return f"{FILE}, line {frames[-1].lineno}, in {frames[-1].name}" if frames else ""
