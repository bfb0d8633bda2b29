"""Numbers on the command line."""

from math import isfinite
from typing import Any

import click


class Number(click.FloatRange):
    """A number within bounds; Click's own takes ``nan`` and ``inf`` as well."""

    def convert(
        self,
        value: Any,  # noqa: ANN401  Click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """The number that was written; a usage error where it is none."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


SECONDS = Number(min=0, min_open=True)
DOLLARS = Number(min=0)
