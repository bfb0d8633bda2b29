"""Stored submissions priced anew."""

from datetime import date

import pytest

from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.arenas.agentic.submissions.repricing import reprice
from benchmaker.store import Store
from tests.arenas.agentic.made import write

PLAIN = "tests.arenas.agentic.made:Plain"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    log = write(tmp_path / "plain.jsonl", {"output": 1_000_000, "model": "inhouse-7"})
    import_logs(log, importer=PLAIN, home=tmp_path / "home")
    return tmp_path / "home"


def stored(home):
    with Store.open(home / "benchmaker.db") as store:
        return next(store.submissions())


def test_a_price_that_became_known_makes_a_revision(home):
    assert stored(home).cost.unpriced == ("inhouse-7",)
    (home / "prices.yaml").write_text("prices:\n  inhouse-7: {input: 1, output: 2}\n")
    (done,) = reprice(home=home)
    assert (done.before.cost.computed_usd, done.after.cost.computed_usd) == (None, 2.0)
    kept = stored(home)
    assert (kept.revision, kept.cost.computed_usd, kept.cost.unpriced) == (2, 2.0, ())
    assert kept.usage_by_model[0].computed_usd == 2.0
    assert kept.provenance["cost.computed_usd"] == "computed"
    assert reprice(home=home)[0].stored is False


def test_what_is_priced_anew_is_what_an_import_would_price(home, tmp_path):
    (home / "prices.yaml").write_text("prices:\n  inhouse-7: {input: 1, output: 2}\n")
    reprice(home=home)
    again = import_logs(tmp_path / "plain.jsonl", importer=PLAIN, home=home)
    assert again.counts == {"unchanged": 1}


def test_a_day_is_noted_and_a_dry_run_stores_nothing(home):
    (done,) = reprice([stored(home).id[:8]], as_of=date(2026, 1, 2), dry_run=True, home=home)
    assert done.after.cost.as_of == "2026-01-02"
    assert stored(home).revision == 1
