"""Home: the newest result is unfolded, with the score and the cost of each setup."""

import re

import benchmaker
from benchmaker.providers.base import Completion
from benchmaker.providers.scripted import Scripted
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving

CASES = [benchmaker.Case(id=f"c{at}", prompt="A city?", expected="Lima") for at in range(4)]


def answer(request):
    return Completion(text="Lima", cost_usd={"cheap": 0.01, "dear": 0.5}[request.model])


def test_the_newest_result_shows_the_score_and_cost_of_each_setup(tmp_path):
    for name in ("older", "newer"):
        aside(
            benchmaker.run,
            benchmaker.Suite(name, CASES, scorer="exact"),
            provider=Scripted(answer, models=("cheap", "dear")),
            home=tmp_path,
        )
    with serving(tmp_path) as address:
        body = fetched(f"{address}/")[2].decode()
    unfolded = re.findall(r'<details class="unfold" open>.*?</details>', body, re.DOTALL)

    assert len(unfolded) == 1
    assert "newer" in unfolded[0]
    lines = [re.sub(r"<[^>]+>", "", it) for it in re.findall(r"<li>.*?</li>", unfolded[0])]
    assert [line.split()[0] for line in lines] == ["cheap", "dear"]
    assert [line.rpartition("cost ")[2].strip() for line in lines] == ["$0.04", "$2.00"]
    assert all("100.0%" in line for line in lines)
