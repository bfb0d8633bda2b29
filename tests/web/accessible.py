"""What axe finds on a page, in both themes and at two widths."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WIDTHS = (375, 1440)
THEMES = ("light", "dark")
_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(page: Page, address: str) -> list[str]:
    """Each violation with its theme and width, and the elements that are meant."""
    found = []
    for theme in THEMES:
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            page.goto(address)
            found += [
                f"{theme} {width}: {one['id']}: {[node['html'][:200] for node in one['nodes'][:3]]}"
                for one in _axe(page)
            ]
            assert not scrolls_sideways(page), f"{theme} {width}: the page scrolls sideways"
    return found


def scrolls_sideways(page: Page) -> bool:
    """Whether the page as a whole is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth > window.innerWidth")


def _axe(page: Page) -> list[dict]:
    """Axe run in an isolated world, since the page itself allows no foreign script."""
    return Axe().run(page, options=_RULES).response["violations"]
