"""A page that reads no size is loaded once and resized; its report is that of a load at each width.

All other pages are loaded at each width.
"""

import pytest

from benchmaker.arenas.code.probe import examination
from benchmaker.record.probe import WIDTHS

RESIZED = {
    "words": "<p style='width:80%'>Words</p>",
    "a layout by width": (
        "<style>@media (min-width:700px){main{display:grid;grid-template-columns:1fr 2fr}"
        "h1{font-size:10px}}</style><button>A</button><p style='width:900px'>wide</p>"
    ),
    "content by a script": (
        "<ul id=l></ul><button onclick=\"l.append('x')\">Add</button><script>"
        "for(let i=0;i<40;i++)l.innerHTML+=`<li>${Math.random()} ${new Date()}</li>`</script>"
    ),
    "an error": "<script>setTimeout(()=>{throw new Error('late')},100)</script>",
    "a text that is set": "<p id=p></p><script>p.innerText='set'</script>",
    "a drawing": (
        "<canvas id=c width=300 height=200></canvas><script>const x=c.getContext('2d');"
        "(function f(t){x.fillStyle='red';x.fillRect(0,0,t/9,9);requestAnimationFrame(f)})(0)"
        "</script>"
    ),
    "a transition that nothing starts": "<style>*{transition:all 1s}</style><p>Words</p>",
    "an event of its own": "<script>onkeydown=()=>{};addEventListener('click',()=>{})</script>",
}

OUT = "document.body.append(' ',{})"
LOADED = {
    "its width": OUT.format("innerWidth"),
    "its width, in disguise": OUT.format("window['inner'+'Width']"),
    "its width, by reflection": OUT.format("Reflect.get(globalThis,'innerWidth')"),
    "its width, by its getter": OUT.format(
        "Object.getOwnPropertyDescriptor(window,'innerWidth').get.call(window)"
    ),
    "its width, in a frame": (
        "const f=document.createElement('iframe');document.body.append(f);"
        f"{OUT.format('f.contentWindow.parent.innerWidth')};f.remove()"
    ),
    "a query": OUT.format("matchMedia('(min-width:700px)').matches"),
    "the screen": OUT.format("screen.width"),
    "the visual viewport": OUT.format("visualViewport.width"),
    "a box": OUT.format("document.body.getBoundingClientRect().width"),
    "a client width": OUT.format("document.documentElement.clientWidth"),
    "an offset": OUT.format("document.body.offsetWidth"),
    "a style": OUT.format("getComputedStyle(document.body).width"),
    "a range": (
        "const r=document.createRange();r.selectNode(document.querySelector('p'));"
        f"{OUT.format('r.getBoundingClientRect().width')}"
    ),
    "rendered text": OUT.format("document.body.innerText.length"),
    "an element by its place": OUT.format("document.elementFromPoint(500,5)?.localName"),
    "an observer of sizes": (
        "new ResizeObserver((it)=>{document.title=it[0].contentRect.width}).observe(document.body)"
    ),
    "an observer of the window": "new IntersectionObserver(()=>{}).observe(document.body)",
    "a resize": f"addEventListener('resize',()=>{{{OUT.format(1)}}})",
    "a resize, by property": f"onresize=()=>{{{OUT.format(1)}}}",
    "a resize, by attribute": f"document.body.setAttribute('onresize',`{OUT.format(1)}`)",
    "a scroll": "document.body.style.height='5000px';scrollTo(0,99)",
    "a focus": "document.body.innerHTML='<input autofocus id=t>';t.focus()",
    "a rule": "const s=new CSSStyleSheet();s.insertRule('p{color:red}')",
    "a shadow": "document.querySelector('p').attachShadow({mode:'closed'})",
    "a change after the first frame": f"setTimeout(()=>{OUT.format(1)},300)",
    "an animation": "document.querySelector('p').animate({opacity:[0,1]},200)",
    "a worker": "new Worker('data:,0')",
}
PARTS = {
    "an address by width": "<style>@media(min-width:700px){p{background:url(x.png)}}</style>",
    "an endless animation": "<style>@keyframes k{to{opacity:0}}p{animation:k 1s infinite}</style>",
    "a frame": "<iframe srcdoc='<p>x</p>'></iframe>",
    "pictures by width": "<img alt=x srcset='a.png 300w, b.png 900w'>",
    "a lazy picture": "<img alt=x loading=lazy src='a.png'>",
    "an attribute of the body": "</main><body onresize='document.title=1'>",
}


@pytest.fixture
def choices(monkeypatch):
    """The choice for each load of a page: True if it was only resized from there on."""
    made: list[bool] = []
    usual = examination._is_fluid

    async def choose(visit, seen, width):
        made.append(await usual(visit, seen, width))
        return made[-1]

    monkeypatch.setattr(examination, "_is_fluid", choose)
    return made


async def never(*_) -> bool:
    return False


def loaded_at_each(page, probing, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(examination, "_is_fluid", never)
        return probing.both(page, viewports=WIDTHS)


@pytest.mark.long
@pytest.mark.parametrize("name", RESIZED)
def test_a_page_that_reads_no_size_is_loaded_once(name, probing, choices, monkeypatch):
    once = probing.both(RESIZED[name], viewports=WIDTHS)
    assert choices == [True]
    assert once == loaded_at_each(RESIZED[name], probing, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("name", LOADED | PARTS)
def test_a_page_that_may_depend_on_its_size_is_loaded_at_each_width(name, probing, choices):
    script = LOADED.get(name)
    probing.report(f"<script>{script}</script>" if script else PARTS[name], viewports=WIDTHS)
    assert choices == [False, False, False]


@pytest.mark.long
def test_a_page_that_a_resize_sets_in_motion_is_loaded_again(probing, choices, monkeypatch):
    page = (
        "<style>p{width:99px;transition:width 1s}@media(min-width:700px){p{width:300px}}</style>"
        "<p>Words</p>"
    )
    once = probing.both(page, viewports=WIDTHS)
    assert choices == [True, True]
    assert once == loaded_at_each(page, probing, monkeypatch)


@pytest.mark.data
@pytest.mark.long
def test_every_page_gives_the_same_report_both_ways(shared, probing, choices, monkeypatch):
    folder = shared / "code_arena"
    known = [*folder.glob("simonw_tools_pages/*.html"), *folder.glob("adversarial/*.html")]
    resized = []
    for page in sorted(known):
        del choices[:]
        once = probing.both(page.read_bytes(), viewports=WIDTHS, budget_s=20)
        if any(choices):
            resized.append(page.name)
            assert once == loaded_at_each(page.read_bytes(), probing, monkeypatch), page.name
    assert len(resized) >= len(known) / 4
