from pathlib import Path

import pytest

from tests.docs.page import ROOT, Page, pages

PAGES = [*pages(), ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "README.md"]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def inner_links(path: Path) -> list[str]:
    links = Page.read(path).links
    return [link for link in links if not link.startswith(("https://", "mailto:"))]


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_link_leads_somewhere(path):
    dead = []
    for link in inner_links(path):
        file, _, fragment = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        if not target.exists() or (fragment and fragment not in Page.read(target).anchors):
            dead.append(link)
    assert dead == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_page_has_one_title(path):
    prose = Page.read(path).prose.splitlines()
    assert len([line for line in prose if line.startswith("# ")]) == 1


def test_every_page_can_be_reached_from_the_readme():
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        path = ahead.pop()
        if path in reached or path.suffix != ".md":
            continue
        reached.add(path)
        files = (link.partition("#")[0] for link in inner_links(path))
        ahead += [(path.parent / file).resolve() for file in files if file]
    assert [name(path) for path in pages() if path not in reached] == []
