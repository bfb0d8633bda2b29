"""The files that ship with the package."""

from importlib.resources import files
from importlib.resources.abc import Traversable


def resource_path(*parts: str) -> Traversable:
    """A bundled file or folder, by its path under ``resources``.

    >>> resource_path("init", "suite.yaml").is_file()
    True
    """
    return files("benchmaker").joinpath("resources", *parts)
