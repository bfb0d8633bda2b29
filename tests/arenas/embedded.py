"""A run scored by embeddings, to be killed: ``python -m tests.arenas.embedded HOME URL FILE``.

Run again with the same HOME, it goes on where it was.
"""

import sys
from pathlib import Path

from benchmaker import Case, Suite, resume, run
from benchmaker.errors import SpecError
from benchmaker.spec import CheckSpec
from tests.arenas.embedding_server import KEY, MODEL

EXPECTED = "a country has a town as its capital"


def suite(number):
    check = CheckSpec(type="similarity", model=MODEL, value=EXPECTED)
    cases = [Case(id=f"c{n}", prompt=f"What is {n}?") for n in range(number)]
    return Suite("capitals", cases, checks=(check,))


def work(home, url, file):
    """Begin the run of the recorded answers in the file, or go on with it."""
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url}
    try:
        return resume("latest", environ=environ, home=home)
    except SpecError:
        number = len(file.read_text().splitlines())
        return run(suite(number), recorded=file, environ=environ, home=home)


if __name__ == "__main__":
    work(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
