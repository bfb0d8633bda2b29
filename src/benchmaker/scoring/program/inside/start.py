"""Starts a process: ``python -I -B start.py tests|program|together``.

The package lies alone in the sandbox. The packages above it are made here, so that its modules
have the same names as outside. Each of its modules imports little: a check starts three processes,
and ``pathlib``, ``unittest`` and ``dataclasses`` take as long to import as all the rest.
"""

import os
import sys
from types import ModuleType

_HERE = "benchmaker.scoring.program.inside"


def _make_packages() -> None:
    """Make the package of this file importable, without the packages above it."""
    names = _HERE.split(".")
    for count in range(1, len(names) + 1):
        name = ".".join(names[:count])
        package = ModuleType(name)
        package.__path__ = [os.path.dirname(__file__)] if name == _HERE else []  # noqa: PTH120  see above
        sys.modules[name] = package


def main() -> None:
    """Run the role that the command names."""
    _make_packages()
    if sys.argv[1] != "program":
        from benchmaker.scoring.program.inside.tests import run_tests  # noqa: PLC0415  just made

        run_tests(is_together=sys.argv[1] == "together")
    else:
        from benchmaker.scoring.program.inside.program import serve  # noqa: PLC0415  just made

        serve()


if __name__ == "__main__":
    main()
