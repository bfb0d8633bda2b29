"""The probe against facts that were verified by hand and by another program."""

import json
from pathlib import Path

import msgspec
import pytest

from benchmaker.record import ProbeOutcome
from benchmaker.record.probe import WIDTHS

ENDS = {
    "blank.html": ProbeOutcome.BLANK,
    "loop_on_load.html": ProbeOutcome.HANG,
    "memory_bomb.html": ProbeOutcome.MEMORY,
    "top_navigation.html": ProbeOutcome.NAVIGATED_AWAY,
}
PAGES = (
    "alert_storm", "blank", "cdn_tailwind", "dead_button", "fixed_width_900", "localstorage",
    "loop_on_click", "loop_on_load", "memory_bomb", "network_exfil", "page_error",
    "top_navigation",
)  # fmt: skip
LESS_S = {"loop_on_load": 5, "loop_on_click": 30}
"""Pages that hang, whatever their time. One shows nothing before, the other all but its clicks."""
FOREIGN = {"text_len", "interactive", "axe"}  # of the browser's own error page
MADE_EARLY = ("animated-rainbow-border", "iframe-sandbox")
"""Of the forty pages, those that most differ from each other."""


@pytest.mark.data
@pytest.mark.parametrize("name", PAGES)
def test_every_verified_fact_of_a_hostile_page_is_found(name, shared, probing):
    folder = shared / "code_arena" / "adversarial"
    known = json.loads((folder / "facts.json").read_bytes())["pages"][f"{name}.html"]
    page = (folder / f"{name}.html").read_bytes()
    report = probing.report(page, budget_s=LESS_S.get(name), viewports=WIDTHS)
    found = json.loads(msgspec.json.encode(report))
    assert report.outcome is ENDS.get(f"{name}.html", ProbeOutcome.RENDERED)
    assert (found.pop("error") is None) == (known.pop("error") is None)
    if found["axe"] is None:  # the page hung before its rules were tried
        assert report.timeout
        assert known.pop("axe") == []
    if known["click"]:
        found["click"] = {key: found["click"][key] for key in known["click"]}
    left_out = FOREIGN if name == "top_navigation" else set()
    wanted = {key: value for key, value in known.items() if key not in left_out}
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.data
@pytest.mark.parametrize("name", MADE_EARLY)
def test_two_probes_of_a_real_page_give_equal_reports(name, shared, probing):
    twice(shared / "code_arena" / "simonw_tools_pages" / f"{name}.html", probing)


@pytest.mark.data
@pytest.mark.long
def test_two_probes_of_every_real_page_give_equal_reports(shared, probing):
    pages = sorted((shared / "code_arena" / "simonw_tools_pages").glob("*.html"))
    assert len(pages) == 40
    for page in pages:
        twice(page, probing)


def twice(page: Path, probing) -> None:
    first, second = (probing.report(page.read_bytes(), viewports=WIDTHS) for _ in range(2))
    assert first.outcome is ProbeOutcome.RENDERED, page.name
    assert first == second, page.name
