"""The page of the workbench's pages, with their pictures."""

from collections.abc import Iterator

from tests.web.every_page import ANY, Place, places

MORE = (
    Place("home-empty", "/", "Home over an empty data folder"),
    Place("arena-running", "/arena/RUN?at=5.0", "A run while it fills: scored, writing, retry"),
    Place("arena-stop", "/arena/RUN?confirm=stop", "Stopping asks first"),
)
"""Pages in a moment that a store at rest does not show."""

_HEAD = """# Pages

The pages of the [workbench](../how-to/use-the-workbench.md), each in both themes and at two widths.
What they show is illustrative. `make screenshots` takes the pictures anew; it needs Chromium.

| page | address |
|---|---|"""


def page() -> str:
    """Every page with its address and picture."""
    return "\n".join(_lines())


def shown() -> tuple[Place, ...]:
    """The pages that have a picture, in their order."""
    return (*places(ANY), *MORE)


def _lines() -> Iterator[str]:
    yield _HEAD
    for one in shown():
        yield f"| [{one.caption}](#{one.name}) | `{one.path.partition('?')[0]}` |"
    for one in shown():
        yield f"\n## {one.name}\n\n{one.caption}.\n"
        yield f"![{one.caption}; light and dark, wide and narrow](../images/pages/{one.name}.webp)"
