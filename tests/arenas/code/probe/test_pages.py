"""What a report says of ordinary pages."""

import hashlib

import pytest

from benchmaker.record import ProbeIsolation, ProbeOutcome, Severity
from benchmaker.record.probe import WIDTHS

COUNTER = (
    '<button onclick="n.textContent=+n.textContent+1">More</button><output id="n">0</output>'
    "<button>Dead</button>"
)


def test_a_report_says_by_what_and_behind_which_wall_it_was_made(probing):
    report = probing.report("")
    assert report.browser == probing.prober.browser
    assert report.isolation in (ProbeIsolation.NAMESPACE, ProbeIsolation.FLAGS)
    assert report.self_test.seen == ()
    assert "webrtc" in report.self_test.tried


def test_screenshots_come_with_their_digests(probing):
    report, shots = probing.both(COUNTER, viewports=WIDTHS)
    assert [shot.viewport for shot in report.screenshots] == [375, 768, 1440]
    for shot in report.screenshots:
        picture = shots[shot.sha256]
        assert hashlib.sha256(picture).hexdigest() == shot.sha256
        assert int.from_bytes(picture[16:20]) == shot.width
        assert int.from_bytes(picture[20:24]) == shot.height


def test_a_dead_control_is_named(probing):
    click = probing.report(COUNTER).click
    assert (click.candidates, click.tried, click.changed, click.dead) == (2, 2, 1, 1)
    assert click.dead_controls == ("button “Dead”",)


def test_a_click_that_raises_is_counted_apart(probing):
    report = probing.report('<button onclick="gone()">Go</button>')
    assert report.click.errors == 1
    assert report.click.dead == 0
    assert report.page_errors == ()
    assert report.click.messages == ("gone is not defined",)
    assert report.code.missing_handlers == ("gone",)


def test_a_click_that_opens_something_is_not_dead(probing):
    report = probing.report(
        '<button onclick="alert(1)">Ask</button><a href="https://example.invalid/">Away</a>'
        "<button onclick=\"window.open('https://example.invalid/')\">Popup</button>"
    )
    assert (report.click.tried, report.click.left, report.click.dead) == (3, 3, 0)
    assert report.dialogs is False


ADD = "if(t.value.trim()){l.append(t.value+' ');t.value=''}"


@pytest.mark.parametrize(
    "page",
    [
        f'<input id="t"><button onclick="{ADD}">Add</button><p id="l"></p>',
        f'<textarea id="t"></textarea><button onclick="{ADD}">Add</button><p id="l"></p>',
        '<input id="t"><button onclick="t.value=\'\'">Clear</button>',
        (
            '<form onsubmit="event.preventDefault();o.value=n.value"><input type="number" min="5" '
            'required id="n"><input type="email" required><select required><option value="">Choose'
            '<option>One</select><button>Send</button><output id="o"></output></form>'
        ),
    ],
)
def test_a_control_that_acts_on_filled_fields_is_not_dead(probing, page):
    click = probing.report(page).click
    assert (click.tried, click.changed, click.dead) == (1, 1, 0)


def test_a_control_that_acts_after_another_is_not_dead(probing):
    click = probing.report(
        "<button onclick=\"l.textContent=''\">Clear</button>"
        f'<input id="t"><button onclick="{ADD}">Add</button><p id="l"></p>'
    ).click
    assert (click.tried, click.changed, click.dead) == (2, 2, 0)


def test_typing_is_not_an_effect_of_the_click(probing):
    typed = "setTimeout(()=>l.textContent=t.value,200)"
    page = f'<input id="t" oninput="{typed}"><button>Dead</button><p id="l"></p>'
    click = probing.report(page).click
    assert (click.tried, click.changed, click.dead) == (1, 0, 1)


def test_a_late_effect_of_a_click_counts(probing):
    late = "setTimeout(()=>{n.textContent='done'},300)"
    report = probing.report(f'<button onclick="{late}">Go</button><output id="n"></output>')
    assert report.click.changed == 1


def test_what_changes_by_itself_is_no_effect_of_a_click(probing):
    report = probing.report(
        '<button>Dead</button><output id="n">0</output>'
        "<script>setInterval(()=>{n.textContent=+n.textContent+1},50)</script>"
    )
    assert report.click.changed == 0
    assert report.animates is True


def test_a_page_that_never_rests_without_change_is_still(probing):
    assert probing.report("<script>setInterval(()=>{},10)</script>").animates is False


def test_rejections_are_told_from_errors(probing):
    report = probing.report(
        '<script>Promise.reject(new Error("lost"));'
        'setTimeout(()=>{throw new Error("late")})</script>'
    )
    assert report.rejections == ("lost",)
    assert report.page_errors == ("late",)


def test_what_sticks_out_is_named_and_what_scrolls_by_itself_is_not(probing):
    wide = '<div style="width:900px">x</div>'
    report = probing.report('<div id="out" style="width:500px">x</div>', viewports=WIDTHS)
    assert report.overflow == {"375": True, "768": False, "1440": False}
    assert report.viewports["375"].offenders == ("div#out",)
    inside = probing.report(f'<div style="overflow-x:auto">{wide}</div>', viewports=(375,))
    assert inside.overflow["375"] is False


def test_small_text_and_small_controls_are_counted(probing):
    report = probing.report(
        '<p style="font-size:9px">tiny</p><button style="height:12px">x</button>',
        viewports=(375,),
    )
    assert report.viewports["375"].small_text == 1
    assert report.viewports["375"].small_taps == 1


def test_a_missing_file_is_local_and_a_package_is_of_a_cdn(probing):
    report = probing.report(
        '<script src="app.js"></script><script src="https://unpkg.com/nosuch"></script>'
        '<img alt="x" src="https://example.invalid/p.png">'
    )
    assert {(one.kind, one.url) for one in report.missing} == {
        ("local", "app.js"),
        ("cdn", "https://unpkg.com/nosuch"),
        ("other", "https://example.invalid/p.png"),
    }
    assert report.broken_images == 1


def test_with_mapping_a_known_library_runs_and_is_named(probing):
    page = '<script src="https://unpkg.com/vue@3"></script><output id="o"></output>'
    page += "<script>o.textContent = typeof Vue.createApp</script>"
    report = probing.report(page, mapping=True)
    assert report.blocked == ()
    assert [url for url, _, _ in report.mapped] == ["https://unpkg.com/vue@3"]
    assert report.page_errors == ()


def test_time_and_chance_are_the_same_each_time(probing):
    page = "<script>document.body.append(Math.random(), ' ', new Date().toISOString())</script>"
    first, second = (probing.report(page, viewports=WIDTHS) for _ in range(2))
    assert first == second


def test_a_page_that_waits_for_the_clock_comes_to_an_end(probing):
    page = "<script>const t=Date.now();while(Date.now()-t<300);document.title='waited'</script>"
    report = probing.report(page)
    assert report.title == "waited"
    assert report.outcome is ProbeOutcome.RENDERED


def test_a_page_cannot_answer_for_itself(probing):
    report = probing.report(
        "<button>Dead</button><script>document.querySelectorAll=()=>[];JSON.stringify=()=>'x';"
        "Array.prototype.map=()=>{throw 1};Promise=null;window.setTimeout=null</script>"
    )
    assert report.interactive == 1
    assert report.click.dead == 1


def test_findings_begin_with_the_gravest(probing):
    report = probing.report('<script>gone()</script><img src="x.png" alt="x">')
    severities = [one.severity for one in report.findings]
    assert severities[0] is Severity.ERROR
    order = [Severity.ERROR, Severity.WARNING, Severity.INFO]
    assert severities == sorted(severities, key=order.index)


def test_a_picture_of_one_colour_is_told(probing):
    facts = probing.report(b"<!doctype html><title>x</title><body>")
    assert facts.outcome is ProbeOutcome.BLANK
    assert facts.viewports["1440"].blank_ratio == 1.0
    assert facts.viewports["1440"].colours == 1


def test_what_fades_in_is_in_the_picture(probing):
    fade = "<style>@keyframes f{to{opacity:1}}p{opacity:0;animation:f 1s forwards}</style>"
    faded, still = probing.report(f"{fade}<h2>x</h2>"), probing.report("<h2>x</h2>")
    assert faded.viewports["1440"] == still.viewports["1440"]


def layout_shift(page: str, probing) -> float | None:
    return (
        probing.report(f"<!doctype html><body style='margin:0'>{page}".encode())
        .viewports["1440"]
        .layout_shift
    )


PUSHED = (
    "<div id='a'></div><div style='height:90px;width:720px;background:red'></div>"
    "<script>setTimeout(()=>{a.style.height='450px'},500)</script>"
)


def test_layout_shift_is_the_impact_fraction_times_the_distance_fraction(probing):
    """The lower box moves by 450 of 1,440 pixels, and covers half of 90 + 90 of 900 rows."""
    impact, distance = 0.5 * (90 + 90) / 900, 450 / 1440
    assert layout_shift(PUSHED, probing) == round(impact * distance, 2) > 0


@pytest.mark.parametrize(
    "page",
    [
        "<p>It stays.</p>",
        PUSHED.replace("a.style.height='450px'", "a.nextSibling.style.transform='scale(2)'"),
        PUSHED.replace("450px", "2px"),
    ],
)
def test_what_stays_or_is_transformed_shifts_no_layout(page, probing):
    assert layout_shift(page, probing) == 0


def test_a_page_that_hangs_has_no_layout_shift(probing):
    report = probing.report("<script>setTimeout(()=>{for(;;);},200)</script>", budget_s=20)
    assert report.viewports["1440"].layout_shift is None


WORKED = """<p id="p"></p><script>
const code = "onmessage = (it) => { BUSY; postMessage(it.data + 1); }";
const worker = new Worker(URL.createObjectURL(new Blob([code])));
let heard = 0;
worker.onmessage = (it) => { heard = it.data; worker.postMessage(heard); };
worker.postMessage(0);
function draw() {
  document.getElementById("p").textContent = heard > 5 ? "It was heard." : "";
  requestAnimationFrame(draw);
}
draw();
</script>"""


@pytest.mark.parametrize("busy", ["", "const end = Date.now() + 30; while (Date.now() < end);"])
def test_what_a_page_hears_from_its_worker_is_seen(probing, busy):
    report = probing.report(WORKED.replace("BUSY", busy))
    heard = probing.report('<p id="p">It was heard.</p>')
    assert [it.text_len for it in report.viewports.values()] == [
        it.text_len for it in heard.viewports.values()
    ]


def test_a_worker_that_never_answers_holds_nothing_up(probing):
    silent = "onmessage = () => {}"
    report = probing.report(
        f"<p>Text</p><script>const w = new Worker(URL.createObjectURL(new Blob(['{silent}'])));"
        "setInterval(() => w.postMessage(0), 10)</script>"
    )
    assert report.outcome is ProbeOutcome.RENDERED
    assert "slow" not in report.flags
