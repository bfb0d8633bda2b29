"""A tab serves several pages, and none of them finds a trace of another."""

import pytest

from benchmaker.arenas.code.probe.tab import Tab

LEAVERS = {
    "its name": "<script>document.body.append('<', name, '>'); name = 'left by the first'</script>",
    "its history": "<script>document.body.append(history.length);history.pushState(1,'')</script>",
    "a pointer": "<style>button:hover{background:red}</style><button>x</button>",
    "the end of the page": "<script>onpagehide=()=>fetch('/x',{keepalive:true})</script>",
    "a question at the end": (
        "<button onclick='onbeforeunload=(e)=>e.preventDefault()'>x</button>"
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", LEAVERS)
def test_a_page_finds_no_trace_of_the_one_before_in_its_tab(name, probing, monkeypatch):
    cleared = []
    usual = Tab.clear

    async def clear(tab):
        cleared.append(await usual(tab))
        return cleared[-1]

    monkeypatch.setattr(Tab, "clear", clear)
    first, second = (probing.both(LEAVERS[name]) for _ in range(2))
    assert cleared == [True, True]
    assert first == second


@pytest.mark.long
@pytest.mark.parametrize(
    "page",
    [
        "<iframe srcdoc='<p>x</p>'></iframe>",
        "<script>new Worker('data:,0')</script>",
        "<script>fetch('http://x.invalid/').catch(()=>{})</script>",
        "<script>alert(1)</script>",
    ],
)
def test_a_page_that_reaches_out_of_its_document_ends_its_tab(page, probing):
    async def empty_tabs() -> set[Tab]:
        return set((await probing.prober._running_browser())._empty_tabs)

    probing.report("<p>calm</p>")
    before = probing.run(empty_tabs())
    probing.report(page)
    assert probing.run(empty_tabs()) < before
