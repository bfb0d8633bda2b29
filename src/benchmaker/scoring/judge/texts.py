"""The bundled words of judging prompts, and places in them to be filled."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

VERSION = "1"
"""The version of the bundled texts; it changes with them."""

_PLACE = re.compile(r"\{\{([a-z_]+)\}\}")


@cache
def text(name: str) -> str:
    """A bundled text by its name, without blanks at its ends."""
    path = files("benchmaker").joinpath("resources", "judge", f"{name}.md")
    return path.read_text(encoding="utf-8").strip()


def fill_text(name: str, values: Mapping[str, str]) -> str:
    """Fill the places of a bundled text, once: inserted values are not expanded again."""
    return _PLACE.sub(lambda place: values[place[1]], text(name))
