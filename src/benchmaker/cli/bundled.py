"""The files that ship with the package."""

from importlib.resources import files
from importlib.resources.abc import Traversable


def bundled(*parts: str) -> Traversable:
    """A bundled file or folder, by its path under ``resources``.

    >>> bundled("init", "suite.yaml").is_file()
    True
    """
    return files("benchmaker").joinpath("resources", *parts)
