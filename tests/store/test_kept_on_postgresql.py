"""A store of revision 0020 on PostgreSQL is upgraded, and keeps conversations from then on."""

import msgspec
import pytest

from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.errors import SchemaTooOld
from benchmaker.record import Outcome, Trial
from benchmaker.store import Store
from benchmaker.store.database.schema import REVISIONS, SchemaUpgrade, upgrade
from tests.data.store import make
from tests.engine.requests.tool_models import (
    Priced,
    a_tool_suite,
    answering,
    calling,
    step_by_step,
)
from tests.engine.run_data import a_seed, begun, executed
from tests.store.stepped import filled_as_kept
from tests.store.test_kept_files import literal

pytestmark = pytest.mark.postgresql("migrations")


@pytest.fixture
def upgraded(new_database, tmp_path):
    """The address of a database with the rows of the kept file, after its upgrade."""
    address = new_database()
    database = filled_as_kept(address, "0020", tmp_path)
    with pytest.raises(SchemaTooOld):
        Store.open(address)
    assert upgrade(database) == SchemaUpgrade("0020", REVISIONS[-1])
    database.close()
    return address


def test_trials_and_scores_are_read_and_the_store_is_whole(upgraded):
    told = msgspec.json.decode((make.FOLDER / "0020.json").read_bytes())
    with Store.open(upgraded) as store:
        trials = [trial for run in store.runs() for trial in store.trials(run.id)]
        assert trials == [msgspec.convert(literal(text), Trial) for text in told["trials"]]
        assert store.check().is_ok


def test_a_conversation_is_stored_between_its_requests_and_resumed(upgraded, tmp_path):
    suite = a_tool_suite(tmp_path, {"id": "a", "tools": ["clock"]})
    with Store.open(upgraded) as store:
        seen = []

        def second(_):
            seen.extend(it.outcome for it in store.trials("new"))
            return calling(("clock", {}))

        run = begun(store, suite, ("m",), id="new")
        model = Priced(step_by_step(calling(("clock", {})), second, answering("5")))
        options = {"limits": RunLimits(concurrency=1), "random": a_seed()}
        executed(store, run, model, budget=Budget(0.9), **options)
        (trial,) = store.trials(run.id)
        assert seen == [Outcome.UNFINISHED]
        assert (trial.outcome, trial.transcript.steps) == (Outcome.CANCELLED, 2)
        executed(store, run, model, **options)
        (trial,) = store.trials(run.id)
        assert (trial.outcome, trial.transcript.steps) == (Outcome.SCORED, 3)
        assert [it.number for it in trial.attempts] == [1, 2, 3]
        assert store.check().is_ok
