"""The example that ships with the package: a suite and illustrative answers to it."""

from importlib.resources import files
from pathlib import Path


def example_file(name: str) -> Path:
    """One of its files.

    >>> example_file("suite.yaml").is_file()
    True
    """
    return Path(str(files("benchmaker").joinpath("resources", "demo", name)))
