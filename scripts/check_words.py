"""Checks the words of documentation, help, messages, pages and public docstrings.

Run ``python -m scripts.check_words``, with areas for some of them: help, messages, pages,
docstrings, docs, generated. The list of banned words and openings is ``words/rules.toml``. Ends
with 1 if there are findings.
"""

import sys

from scripts.words.collection import texts
from scripts.words.rules import findings, rules
from scripts.words.sentence import Area


def main(areas: list[str]) -> int:
    """Print the findings of the areas, one a line; the exit code."""
    wanted = {Area(name) for name in areas} or set(Area)
    found = list(findings((text for text in texts() if text.area in wanted), rules()))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
