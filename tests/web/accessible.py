"""What axe finds on a page, in both themes and at two widths.

The quick suite asks for two of the four, each theme and each width once; ``make test-all``, and
``pytest`` without ``-m``, ask for all.
"""

from collections.abc import Sequence

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WIDTHS = (375, 1440)
THEMES = ("light", "dark")
ALL = tuple((width, theme) for width in WIDTHS for theme in THEMES)
QUICK = ((375, "light"), (1440, "dark"))
_HEIGHT = 900
_LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES = {
    "light": {"runOnly": _LEVELS},
    "dark": {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}},
}
"""A theme changes colours and nothing else, so that all other rules are asked in one of them."""

asked_for = list(ALL)
"""What is asked in this session; ``tests/web/conftest.py`` shortens it."""

_OVERLAPS = """() => {
  const found = [];
  const compare = all => all.slice(1).forEach((it, at) => {
    if (it.getBoundingClientRect().left < all[at].getBoundingClientRect().right - 1)
      found.push(`${all[at].textContent} and ${it.textContent || it.tagName}`);
  });
  const seen = all => [...all].filter(it => it.checkVisibility());
  for (const plot of document.querySelectorAll("th svg.plot"))
    compare(seen(plot.querySelectorAll("text")));
  for (const cell of document.querySelectorAll(".scorecell")) {
    const value = document.createRange();
    value.selectNodeContents(cell.querySelector("b"));
    const drawn = cell.querySelector("svg");
    if (drawn && drawn.getBoundingClientRect().left < value.getBoundingClientRect().right - 1)
      found.push(`${cell.textContent} and its plot`);
  }
  return found.slice(0, 5);
}"""
"""Labels of an axis that overlap, and figures that run into their plot."""

FOUND = """asked => axe.run({...asked, iframes: false, resultTypes: ["violations"]}).then(found =>
  found.violations.map(one => {
    const meant = one.nodes.slice(0, 3).map(node => node.html.slice(0, 200));
    return `${one.id}: ${JSON.stringify(meant)}`;
  }))"""


def violations(page: Page, address: str) -> list[str]:
    """Each violation with its theme and width, and the elements that are meant."""
    page.emulate_media(color_scheme=THEMES[0])
    page.goto(address)
    return violations_here(page)


def violations_here(page: Page, sizes: Sequence[tuple[int, str]] = ()) -> list[str]:
    """The same for the page that is open: its window is resized and its theme changed.

    ``sizes`` are widths with themes, by default those of the session.
    """
    page.emulate_media(reduced_motion="reduce")  # a colour on its way to another is neither
    page.evaluate(Axe().axe_script)
    found = []
    for width, theme in sizes or asked_for:
        page.set_viewport_size({"width": width, "height": _HEIGHT})
        assert not scrolls_sideways(page), f"{width}: the page scrolls sideways"
        found += [f"{width}: overlap of {it}" for it in page.evaluate(_OVERLAPS)]
        page.emulate_media(color_scheme=theme)
        found += [f"{theme} {width}: {it}" for it in page.evaluate(FOUND, RULES[theme])]
    return found


def scrolls_sideways(page: Page) -> bool:
    """Whether the page as a whole is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
