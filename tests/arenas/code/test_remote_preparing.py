"""Pages rendered elsewhere; where there is no browser they are only read, there as here."""

import asyncio

import pytest
from msgspec.structs import replace

from benchmaker.arenas.code.prepare import Pages
from benchmaker.arenas.code.probe import page_of_file, prober
from benchmaker.arenas.code.remote_preparing import PageTask, ProbeOptions, RemotePages, probe_pool
from benchmaker.engine.requests.preparing import rendering_key
from benchmaker.errors import PrerequisiteError, RenderError
from tests.arenas.code.test_prepare import COUNTER, a_wish
from tests.engine.executors.crews import NearHands


@pytest.fixture
def no_browser(monkeypatch):
    monkeypatch.setattr(prober, "find_browser", lambda: None)


@pytest.fixture
def no_wall(monkeypatch):
    monkeypatch.setattr(prober, "walls", lambda _: ())


def made(pages, wishes, place=None):
    async def work():
        found = []
        try:
            for wish in wishes:
                begun = await pages.begin(wish)
                where = place or await pages.place()
                key = rendering_key(begun.content, where)
                one = await pages.make(wish, begun, key=key, place=where)
                found.append((replace(one.rendering, took_s=0.0), one.files))
        finally:
            await pages.close()
        return found

    return asyncio.run(work())


@pytest.mark.usefixtures("no_browser")
@pytest.mark.parametrize("deaths", [(), (4,)])
def test_what_is_made_there_is_what_is_made_here(tmp_path, deaths):
    (tmp_path / "a.png").write_bytes(b"a picture")
    wishes = [
        a_wish(COUNTER),
        a_wish(COUNTER.replace("More", "Less"), page={"reference": "a.png"}, folder=tmp_path),
        a_wish(COUNTER.replace("More", "Most")),
    ]
    crew = NearHands(4, deaths)
    assert made(RemotePages(Pages(), crew), wishes) == made(Pages(), wishes)
    assert crew.ended == crew.hired


@pytest.mark.usefixtures("no_browser")
def test_a_node_with_another_browser_refuses():
    with pytest.raises(PrerequisiteError, match="no browser, static on another"):
        made(RemotePages(Pages(), NearHands(1)), [a_wish()], place="Chromium 1, namespace")


@pytest.mark.usefixtures("no_wall")
def test_where_no_wall_holds_the_refusal_is_the_same():
    errors = []
    for pages in (Pages(), RemotePages(Pages(), NearHands(1))):
        with pytest.raises(PrerequisiteError, match="nothing rendered: pages") as caught:
            made(pages, [a_wish()])
        errors.append((caught.value.message, caught.value.hint))
    assert errors[0] == errors[1]


@pytest.mark.usefixtures("no_wall")
def test_where_no_wall_holds_no_page_is_probed():
    page = page_of_file("page.html", b"<p>Words</p>")
    with pytest.raises(RenderError, match="pages can't be isolated from the network"):
        asyncio.run(
            probe_pool(NearHands(1), ProbeOptions(), number=1).do(PageTask(page.bundle, "0"))
        )


def test_it_is_called_what_it_was_made_with():
    pages = RemotePages(Pages(workers=3, mapping=False), NearHands(8))
    assert dict(pages.options) == {"workers": 3, "mapping": False}
    assert (pages.concurrency, RemotePages(Pages(), NearHands(8)).concurrency) == (3, 4)
