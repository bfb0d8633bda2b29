"""Every surface shows the figures of the summary, and the summary those of the rows."""

import re
from html import unescape

import pytest

from tests.web.drawn_runs import MODELS, REFUSED, drawn_series
from tests.web.results_data import fetched
from tests.web.serving import serving

SEEDS = (1, 2)


@pytest.fixture(scope="module", params=SEEDS)
def drawn(request, tmp_path_factory):
    """A random series, which nobody changes."""
    return drawn_series(tmp_path_factory.mktemp("drawn") / "home", request.param)


@pytest.fixture(scope="module")
def address(drawn):
    with serving(drawn.home, works=False) as address:
        yield address


def plain_means(trials):
    """Each model's weighted mean over cases of the case's mean over runs, in plain Python."""
    found = {}
    for model in MODELS:
        of_case, weight = {}, {}
        for trial in trials:
            if trial.model == model and trial.score and trial.score.score is not None:
                of_case.setdefault(trial.case_id, []).append(trial.score.score)
                weight[trial.case_id] = trial.weight
        total = sum(weight.values())
        means = {case: sum(scores) / len(scores) for case, scores in of_case.items()}
        found[model] = sum(means[it] * weight[it] for it in means) / total if total else None
    return found


def text_of(html):
    """What a page says, without tags."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def page_of(address, path):
    status, _, body = fetched(address + path)
    assert status == 200, path
    return body.decode()


def live_means(html):
    """The mean under each head of the live page: None where it says that there is none."""
    heads = re.findall(r'<th scope="col" id="h(\d+)">(.*?)</th>', html)
    shown = dict(re.findall(r'<div id="mean(\d+)"[^>]*>(.*?)</div>', html, re.DOTALL))
    found = {}
    for column, head in heads:
        value = re.search(r'<b class="num">([\d.]+)</b>', shown[column])
        found[text_of(head)] = None if value is None else float(value[1])
    return found


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_live_page_shows_each_mean_under_its_model(drawn, address, number):
    html = page_of(address, f"/arena/{drawn.series}?run={number}")

    expected = plain_means(drawn.trials(drawn.run_ids[number - 1]))
    assert expected[REFUSED] is None
    shown = live_means(html)
    assert list(shown) == list(MODELS)
    for model, mean in expected.items():
        assert shown[model] == (mean if mean is None else pytest.approx(100 * mean, abs=0.051))
