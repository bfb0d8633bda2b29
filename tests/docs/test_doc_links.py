from functools import cache
from pathlib import Path

from tests.docs.page import ROOT, Page, pages

PAGES = [*pages(), ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "README.md"]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def links(path: Path) -> list[str]:
    found = Page.read(path).links
    return [link for link in found if not link.startswith(("https://", "mailto:"))]


@cache
def anchors(path: Path) -> set[str]:
    return Page.read(path).anchors


def is_dead(path: Path, link: str) -> bool:
    file, _, fragment = link.partition("#")
    target = (path.parent / file).resolve() if file else path
    return not target.exists() or bool(fragment and fragment not in anchors(target))


def test_every_link_leads_somewhere():
    dead = [(name(path), link) for path in PAGES for link in links(path) if is_dead(path, link)]
    assert dead == []


def titles(path: Path) -> int:
    return sum(line.startswith("# ") for line in Page.read(path).prose.splitlines())


def test_every_page_has_one_title():
    assert {name(path): number for path in PAGES if (number := titles(path)) != 1} == {}


def test_every_page_can_be_reached_from_the_readme():
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        path = ahead.pop()
        if path in reached or path.suffix != ".md":
            continue
        reached.add(path)
        files = (link.partition("#")[0] for link in links(path))
        ahead += [(path.parent / file).resolve() for file in files if file]
    assert [name(path) for path in pages() if path not in reached] == []
