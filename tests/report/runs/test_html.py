import base64
import hashlib
import io
import re
import statistics
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from benchmaker.analysis import summarise
from benchmaker.record import Extraction, Outcome, RunState
from benchmaker.redact import Redactor
from benchmaker.report import write_html
from benchmaker.report.runs.html import source_of
from benchmaker.report.runs.page import ReportPage
from benchmaker.spec import Case, Suite

VOID = {"meta", "link", "br", "path", "line", "circle"}
TAGS = {
    "html", "head", "meta", "title", "link", "style", "body", "main", "div", "h1", "h2", "h3", "p",
    "span", "bdi", "b", "g", "ul", "li", "dl", "dt", "dd", "section", "header", "table", "caption",
    "thead", "tbody", "tr", "th", "td", "svg", "path", "line", "circle", "text", "i", "details",
    "summary", "pre", "footer",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "rel", "href", "class", "id", "role",
    "aria-labelledby", "aria-hidden", "tabindex", "scope", "viewbox", "d", "x", "y", "x1", "x2",
    "y1", "y2", "cx", "cy", "r", "height", "overflow", "text-anchor", "data-theme",
}  # fmt: skip

PAYLOADS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</pre></details></section><h1>fake</h1>",
    "</bdi><img src=x onerror=alert(1)>",
    "<img src=x onerror=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<iframe src=javascript:alert(1)>",
    '<iframe srcdoc="<script>alert(1)</script>">',
    "<object data=javascript:alert(1)>",
    "<embed src=//evil.example/x.swf>",
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    '<meta http-equiv=refresh content="0;url=//evil.example">',
    "<form action=//evil.example><input name=x autofocus onfocus=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<body onload=alert(1)>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--><script>alert(1)</script-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "{{ 7 * 7 }}{% for x in ().__class__.__mro__ %}{% endfor %}",
    "${alert(1)} #{alert(1)}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;",
    "\x00<scr\x00ipt>alert(1)</scr\x00ipt>",
    "\x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "evil\u202etxt.exe",
    "\ud800<script>",
    "<style>*{background:url(//evil.example)}</style>",
    "<p style=background:url(//evil.example)>",
    "javascript:alert(1)//",
]


class Reader(HTMLParser):
    """Reads a page strictly: every tag is closed in order; keeps tags, attributes, texts."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.ids = [], set(), [], []
        self.inside = {"bdi": [], "style": [], "title": []}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)
            if tag in self.inside:
                self.inside[tag].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in self.inside:
            self.inside[self.open[-1]][-1] += data


def written(summary, **options):
    stream = io.StringIO()
    write_html(summary, stream, **options)
    return stream.getvalue()


def hostile(payload, a_trial, a_run):
    """A page on which every text that comes from outside is the payload."""
    score = a_trial().score
    trials = [
        replace(
            a_trial(at, at / 6, text=payload, model=f"{payload}{model}"),
            case_id=f"{payload}{at}",
            score=replace(
                score,
                score=at / 6,
                notes=payload,
                expected=payload,
                extraction=Extraction(rule=payload, text=payload),
            ),
        )
        for at in range(6)
        for model in (1, 2)
    ]
    lost = a_trial(6, lost=True, error=payload, model=f"{payload}1", case_id=f"{payload}6")
    whole = payload.replace("\ud800", "")
    cases = [Case(id=f"{whole}{at}", prompt=whole, expected=whole) for at in range(7)]
    suite = Suite(name=whole, cases=cases, description=payload)
    run = a_run(
        payload,
        suite_name=payload,
        series_id=payload,
        models=(f"{payload}1", f"{payload}2"),
        provider={"kind": "recorded", "path": payload},
        state=RunState.INTERRUPTED,
    )
    trials = [replace(trial, run_id=payload) for trial in (*trials, lost)]
    return written(summarise(trials, [run]), trials=trials, suite=suite)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_stays_text(payload, a_trial, a_run):
    page = hostile(payload, a_trial, a_run)
    read = Reader(page)
    assert read.tags <= TAGS
    assert {name for name, _ in read.attributes} <= ATTRIBUTES
    assert "alert" not in str(read.attributes)
    assert "evil" not in str(read.attributes)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e\ud800-\udfff]", page)
    page.encode()


def test_hostile_text_is_shown_as_it_is(a_trial, a_run):
    payload = "</pre><b onclick=x>&amp;"
    shown = Reader(hostile(payload, a_trial, a_run)).inside["bdi"]
    assert shown.count(payload) > 20


def test_the_page_loads_nothing_and_runs_nothing(two_models):
    page = written(two_models[1], trials=two_models[0])
    read = Reader(page)
    assert "script" not in page.lower()
    assert "//" not in page.replace("<!doctype", "")
    assert [value for name, value in read.attributes if name == "href"] == ["data:,"]
    assert "@import" not in page
    assert "url(" not in page


def test_the_policy_allows_the_one_style_sheet_by_its_hash(two_models):
    read = Reader(written(two_models[1]))
    (css,) = read.inside["style"]
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert [value for _, value in read.attributes if "default-src" in value] == [policy]


def test_names_of_sections_are_unique_and_referred_to(two_models):
    read = Reader(written(two_models[1], trials=two_models[0]))
    assert len(read.ids) == len(set(read.ids))
    assert {value for name, value in read.attributes if name == "aria-labelledby"} <= set(read.ids)


def test_the_table_holds_what_the_plot_shows(two_models):
    page = written(two_models[1], trials=two_models[0]).replace("\N{MINUS SIGN}", "-")
    for figure in ("75.0", "[39.1, 93.3]", "66.7%", "26.7", "[7.3, 62.5]"):
        assert figure in page
    assert "95% CI, cases" in page
    assert "SD, cases" in page
    assert "±" not in page


def test_the_axis_says_where_it_begins_unless_at_zero(two_models, a_trial):
    assert "Axis from" not in written(two_models[1])
    narrow = summarise([a_trial(at, 0.8 + at / 100) for at in range(6)])
    assert "Axis from 50 to 100." in written(narrow)


def test_a_series_shows_every_run_and_the_interval_over_runs(a_trial, a_run):
    trials = [a_trial(at, (at + n) % 3 / 2, run=f"r{n}") for n in (1, 2, 3) for at in range(5)]
    runs = [a_run(f"r{n}", series_id="s1", models=("aurora",)) for n in (1, 2, 3)]
    page = written(summarise(trials, runs), trials=trials)
    assert "Spread across runs" in page
    assert "95% CI, runs" in page
    assert "Run 3" in page
    assert "Small dots: single runs." in page


def test_a_series_by_strict_has_the_spread_of_the_strict_accuracy(a_trial, a_run):
    """Of five grades two, one and two are 1; their means differ in another way."""
    trials = [a_trial(at, (at + n) % 3 / 2, run=f"r{n}") for n in (1, 2, 3) for at in range(5)]
    runs = [a_run(f"r{n}", series_id="s1", models=("aurora",)) for n in (1, 2, 3)]
    page = written(summarise(trials, runs, metric="strict"), trials=trials)

    assert "Strict accuracy of each run" in page
    assert "Run 1, 2, …: strict accuracy of the run" in page
    row = page.split("Strict accuracy of each run")[1].split("<tbody>")[1].split("</tr>")[0]
    of_runs = [sum((at + n) % 3 == 2 for at in range(5)) / 5 for n in (1, 2, 3)]
    cells = re.findall(r'<td class="r num">([\d.]+)</td>', row)
    assert cells[:4] == [f"{100 * it:.1f}" for it in (*of_runs, statistics.stdev(of_runs))]


def test_the_interval_over_runs_names_its_cases_and_their_mean(a_trial, a_run):
    trials = [a_trial(at, (at + n) % 3 / 2, run=f"r{n}") for n in (1, 2, 3) for at in range(5)]
    trials[4] = a_trial(4, None, run="r1")
    runs = [a_run(f"r{n}", series_id="s1", models=("aurora",)) for n in (1, 2, 3)]
    summary = summarise(trials, runs)
    spread = summary.models[0].runs
    page = written(summary, trials=trials)
    assert "over the 4 cases scored in every run" in page
    assert f"] of {100 * spread.common_mean:.1f}</td>" in page
    for score in spread.scores:
        assert f'<td class="r num">{100 * score:.1f}</td>' in page


def test_the_lowest_two_hundred_trials_are_shown_and_counted(a_trial):
    trials = [a_trial(at, (at % 11) / 10) for at in range(300)]
    page = written(summarise(trials), trials=iter(trials))
    assert "200 trials of 300" in page
    assert page.count("<details>") == 200


def test_questions_come_from_the_suite(two_models, a_suite):
    assert "Capital number 5?" in written(two_models[1], trials=two_models[0], suite=a_suite())


def test_the_heat_map_tells_a_failed_request_from_zero_and_from_unscored(a_trial):
    trials = [
        a_trial(0, 0.0),
        a_trial(0, model="basalt", lost=True),
        a_trial(0, None, model="mute"),
        a_trial(1, 1.0),
        a_trial(1, 0.5, model="basalt"),
    ]
    page = written(summarise(trials), trials=trials)
    assert '<td class="q1">0</td><td class="f-none">unscored</td>' in page.replace(
        '<td class="f-infra">request failed</td>', ""
    )
    assert '<td class="f-none">not run</td>' in page
    assert '<td class="f-infra">request failed</td>' in page
    assert '<td class="q7">100</td>' in page


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_low_scores_take_the_strong_end_of_the_heat_map(theme):
    css = source_of("tokens.css")

    def luminance(name):
        colour = re.search(rf"--{name}: light-dark\(#(\w+), #(\w+)\)", css)[theme + 1]
        parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def contrast(one, other):
        low, high = sorted((luminance(one), luminance(other)))
        return (high + 0.05) / (low + 0.05)

    steps = [contrast(f"q{at}", "surface") for at in range(1, 8)]
    assert steps == sorted(steps, reverse=True)
    assert min(contrast(f"q{at}", f"q{at}-ink") for at in range(1, 8)) > 5.7


def test_outcomes_have_a_word_beside_their_sign(a_trial):
    trials = [
        a_trial(0),
        a_trial(1, lost=True),
        a_trial(2, None),
        a_trial(3, 0.0, outcome=Outcome.CONTEXT_OVERFLOW),
    ]
    page = written(summarise(trials), trials=trials)
    for words in ("1 answered", "1 timeout", "1 unscored", "1 context overflow"):
        assert f"</svg>{words}</span>" in page


def test_the_verdict_claims_no_more_than_the_data(two_models, a_trial):
    assert "aurora has the highest mean, 75.0, 95% CI [39.1, 93.3]." in written(two_models[1])
    assert "Differences between models are not tested." in written(two_models[1])
    ties = [a_trial(at, at / 6, model=model) for at in range(6) for model in ("a", "b", "c")]
    assert "a and 2 other models share the highest mean, 41.7." in written(summarise(ties))


def test_an_empty_run_is_a_page_that_says_so(a_run):
    page = written(summarise([], [a_run(state=RunState.RUNNING, planned=4)]))
    Reader(page)
    assert "No scores." in page
    assert "Unfinished: 0 of 4 trials stored so far." in page


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_can_be_fixed(two_models, theme):
    assert f'data-theme="{theme}"' in written(two_models[1], theme=theme)
    assert "data-theme=" not in written(two_models[1]).split("<style>")[0]


def test_secrets_are_taken_out(two_models, a_trial, a_suite):
    key = "sk-ant-" + "aB3dE6gH9jK2mN5pQ8sT"
    suite = a_suite(description=key)
    page = written(two_models[1], trials=[a_trial(0, 0.0, text=f"{key} there")], suite=suite)
    assert key not in page
    assert "[redacted] there" in page


def tiles_of(trials):
    return [tile["name"] for tile in ReportPage(summarise(trials), Redactor()).head(None)["tiles"]]


def test_a_tile_of_the_highest_strict_accuracy_needs_an_answer_with_full_marks(a_trial):
    graded = [a_trial(at, 0.5 + at / 10) for at in range(4)]
    assert tiles_of(graded) == ["Highest mean", "Trials", "Cost"]
    full = [*graded, a_trial(4, 1.0)]
    assert tiles_of(full) == ["Highest mean", "Highest strict accuracy", "Trials", "Cost"]
    wrong = [a_trial(at, 0.0) for at in range(4)]
    assert tiles_of(wrong) == ["Highest accuracy", "Trials", "Cost"]


def strict_tile(rows, a_trial):
    """The tile of trials given as case, run, score and weight."""
    trials = [a_trial(at, score, run=run, weight=weight) for at, run, score, weight in rows]
    tiles = ReportPage(summarise(trials), Redactor()).head(None)["tiles"]
    return next(tile["context"] for tile in tiles if tile["name"] == "Highest accuracy")


@pytest.mark.parametrize(
    ("weights", "lacking", "reason"),
    [
        ((1, 1, 1), True, "over cases, each with its mean over runs; 4 of 5 answers, 80.0%"),
        ((3, 1, 1), False, "over cases by weight; 5 of 6 answers, 83.3%"),
        ((3, 1, 1), True, "over cases by weight, each with its mean over runs; 4 of 5 answers"),
        ((1, 1, 1), False, "5 of 6 answers"),
    ],
)
def test_a_share_of_cases_gives_the_reason_why_it_is_not_that_of_answers(
    weights, lacking, reason, a_trial
):
    """Right in run 1 thrice, in run 2 but once not; case 2 may lack an answer there."""
    rows = [(at, "r1", 1.0, weight) for at, weight in enumerate(weights)]
    rows += [(0, "r2", 0.0, weights[0]), (1, "r2", 1.0, weights[1])]
    rows += [] if lacking else [(2, "r2", 1.0, weights[2])]

    said = strict_tile(rows, a_trial).split("], ")[1]

    assert said.startswith(reason)
    assert ("over cases" in said) == ("over cases" in reason)
