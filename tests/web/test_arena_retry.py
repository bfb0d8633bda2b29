"""A cell whose request failed and is made again."""

import re

from playwright.sync_api import expect

from benchmaker.providers.live_text import AnswerKey, LiveTexts, RetryPause
from tests.web.accessible import violations_here
from tests.web.answering import answering
from tests.web.serving import serving
from tests.web.test_arena_live import begun, put


def test_a_request_that_is_made_again_is_shown_until_it_is(tab, tmp_path):
    home = tmp_path / "home"
    suite = put(home, cases=2)
    with answering() as models, serving(home) as address:
        models.refusals, models.refused_s = 2, 6
        name = begun(address, suite, [f"{models.url}#small"])
        tab.goto(f"{address}/arena/{name}?at=0.0")
        expect(tab.locator("#c0m0")).to_contain_text("retry 2 of 3")
        expect(tab.locator("#c0m0 .sub")).to_contain_text(re.compile(r"^(in [1-6] s|now)$"))
        expect(tab.locator("#said-so-far")).to_contain_text("retry 2 of 3")
        expect(tab.locator("#said-so-far")).to_contain_text("A retry follows")
        assert violations_here(tab) == []
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        expect(tab.locator("#c0m0")).to_contain_text("100.0")
        expect(tab.locator("#tiles")).to_contain_text("Retries")


def test_what_waits_is_told_until_it_goes_on():
    heard, place = LiveTexts(), AnswerKey(1, "a", "m")
    heard.begin_pause(place, RetryPause(2, 3, 10.0))

    assert heard.answer_keys() == (place,)
    assert heard.retry_pause(place) == (2, 3, 10.0)
    heard.end_pause(place)
    assert heard.answer_keys() == ()
    assert heard.retry_pause(place) is None
