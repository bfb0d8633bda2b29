"""The page of the workbench's pages, with their pictures."""

from collections.abc import Iterator

from tests.web.every_page import ANY, Place, places

MORE = (
    Place("home-empty", "/", "Home over an empty data folder"),
    Place("arena-running", "/arena/RUN?at=5.0", "A live run: scored, writing, retrying"),
    Place("arena-stop", "/arena/RUN?confirm=stop", "The confirmation before a stop"),
)
"""Pages in a moment that a store at rest does not show."""

SIGNED_OUT = (
    Place("sign-in", "/sign-in", "Signing in"),
    Place("public-board", "/agentic", "A public board"),
)
SIGNED_IN = (
    Place("account", "/account", "Your account: teams, sign-ins, tokens"),
    Place("people", "/settings/people", "Users and teams"),
    Place("secrets", "/settings/secrets", "Team secrets"),
    Place("audit", "/settings/audit", "The audit log"),
    Place("moderation", "/agentic/review?state=waiting", "Submissions awaiting moderation"),
    Place("attempt", "/agentic/submissions/ATTEMPT", "The result of a registered attempt"),
)
"""Pages of a server with accounts."""

_HEAD = """# Pages

The pages of the [workbench](../how-to/use-the-workbench.md), in the light theme on a wide screen.
Every page also has a dark theme and a layout for narrow screens. The data is
illustrative. `make screenshots` retakes the pictures; it needs Chromium.

| page | address |
|---|---|"""


def page() -> str:
    """Every page with its address and picture."""
    return "\n".join(_lines())


def shown() -> tuple[Place, ...]:
    """The pages that have a picture, in their order."""
    return (*places(ANY), *MORE, *SIGNED_OUT, *SIGNED_IN)


def _lines() -> Iterator[str]:
    yield _HEAD
    for one in shown():
        yield f"| [{one.caption}](#{one.name}) | `{one.path.partition('?')[0]}` |"
    for one in shown():
        yield f"\n## {one.name}\n\n{one.caption}.\n"
        yield f"![{one.caption}](../images/pages/{one.name}.webp)"
