"""Keywords of a call, for builders that take options and other arguments alike."""

from collections.abc import Mapping
from typing import Any

from benchmaker import RunOptions
from benchmaker.engine.requests.run_options import OPTIONS


def call_keywords(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of ``run`` and its like, with all options gathered in ``options``."""
    options = {name: value for name, value in given.items() if name in OPTIONS}
    return {
        **{name: value for name, value in given.items() if name not in OPTIONS},
        "options": RunOptions(**options),
    }
