"""The store against a plain dictionary that does the same."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from benchmaker.errors import StoreError
from benchmaker.record import Attempt, Outcome, RunState, Score, Trial, TrialKey
from benchmaker.store import Message, Store, Writer, WriteStatus
from benchmaker.store.runs.batch import REPLACEABLE
from tests.draws import draws
from tests.store.filled import MODELS, a_run, a_suite

CASES = 3
SUITE = a_suite(CASES)

outcomes = st.sampled_from([Outcome.SCORED, Outcome.EMPTY, Outcome.TIMEOUT, Outcome.CANCELLED])
scores = st.none() | st.builds(Score, score=st.none() | st.floats(0, 1), notes=st.text(max_size=2))
names = st.sampled_from(["one", "two", "three"])
places = st.tuples(st.integers(0, CASES - 1), st.sampled_from(MODELS))


class StoreMachine(RuleBasedStateMachine):
    """Whatever is done to a store, it holds what the dictionaries hold."""

    fresh: Iterator[str]

    def __init__(self):
        super().__init__()
        self.address = next(self.fresh)
        self.store = Store.open(self.address)
        self.store.put_suite(SUITE)
        self.runs = {}
        self.trials: dict[TrialKey, Trial] = {}
        self.versions = defaultdict(list)
        self.messages = {}

    def teardown(self):
        self.store.close()

    @rule(run_id=names)
    def add_run(self, run_id):
        run = a_run(SUITE, run_id)
        if run_id in self.runs:
            with pytest.raises(StoreError):
                self.store.add_run(run)
        else:
            self.store.add_run(run)
            self.runs[run_id] = run

    @rule(run_id=names, state=st.sampled_from(RunState), key=names)
    def set_state(self, run_id, state, key):
        news = Message(topic="state", dedupe_key=key, body={"state": state})
        if run_id in self.runs:
            self.store.set_run_state(run_id, state, finished_at=state, announce=news)
            self.runs[run_id] = replace(self.runs[run_id], state=state, finished_at=state)
            self.messages.setdefault(key, news)
        else:
            with pytest.raises(StoreError):
                self.store.set_run_state(run_id, state, announce=news)

    @rule(run_id=names)
    def delete_run(self, run_id):
        if run_id in self.runs:
            self.store.delete_run(run_id)
            del self.runs[run_id]
            for key in [key for key in self.trials if key.run_id == run_id]:
                del self.trials[key]
                self.versions.pop(key, None)
        else:
            with pytest.raises(StoreError):
                self.store.delete_run(run_id)

    @precondition(lambda self: self.runs)
    @rule(data=st.data(), some=st.lists(st.tuples(places, outcomes, scores), max_size=5))
    def put_trials(self, data, some):
        run_id = data.draw(st.sampled_from(sorted(self.runs)))
        found, expected = [], []
        with Writer(self.store) as writer:
            for (position, model), outcome, score in some:
                trial = Trial(
                    run_id=run_id,
                    case_id=f"case-{position}",
                    model=model,
                    position=position,
                    outcome=outcome,
                    score=score,
                    attempts=(Attempt(number=1, status=outcome, started_at="now"),),
                )
                writer.put(trial, on_durable=found.append)
                expected.append(self.take(trial))
        assert found == expected

    def take(self, trial):
        known = self.trials.get(trial.key)
        if known is not None and known.outcome not in REPLACEABLE:
            return WriteStatus.KEPT
        earlier = () if known is None else known.attempts
        later = replace(trial.attempts[0], number=len(earlier) + 1)
        if trial.score is not None:
            self.versions[trial.key].append(trial.score)
        version = len(self.versions[trial.key]) if trial.score else 0
        self.trials[trial.key] = replace(trial, attempts=(*earlier, later), score_version=version)
        return WriteStatus.NEW if known is None else WriteStatus.REPLACED

    @precondition(lambda self: self.trials)
    @rule(data=st.data(), some=st.lists(scores.filter(bool), min_size=1, max_size=3))
    def put_scores(self, data, some):
        with Writer(self.store) as writer:
            for score in some:
                key = data.draw(st.sampled_from(sorted(self.trials)))
                writer.put_score(key, score)
                self.versions[key].append(score)
                self.trials[key] = replace(
                    self.trials[key], score=score, score_version=len(self.versions[key])
                )

    @rule()
    def deliver_the_oldest(self):
        for waiting in self.store.pending_messages(1):
            assert waiting.message == self.messages[waiting.message.dedupe_key]
            self.store.mark_delivered(waiting.seq)

    @rule()
    def open_again(self):
        self.store.close()
        self.store = Store.open(self.address)

    @rule()
    def vacuum(self):
        self.store.vacuum()
        self.store.put_suite(SUITE)

    @invariant()
    def holds_what_the_dictionaries_hold(self):
        assert {run.id: run for run in self.store.runs()} == self.runs
        for run_id in self.runs:
            known = [trial for key, trial in self.trials.items() if key.run_id == run_id]
            known.sort(key=lambda trial: (trial.position, MODELS.index(trial.model)))
            assert list(self.store.trials(run_id)) == known
            assert self.store.done_keys(run_id, 0, CASES) == {
                (trial.case_id, trial.model) for trial in known
            }
            for trial in known:
                assert self.store.scores.versions(*trial.key) == self.versions[trial.key]
        assert len(self.store.columns(list(self.runs))) == len(self.trials)
        assert self.store.check(quick=True).is_ok


def run_machine(addresses, *, examples, steps):
    class Machine(StoreMachine):
        fresh = addresses

    run_state_machine_as_test(
        Machine,
        settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None),
    )


def test_a_file_behaves_as_a_dictionary(tmp_path: Path):
    addresses = (str(tmp_path / f"{number}.db") for number in count())
    run_machine(addresses, examples=draws(3, 8), steps=20)


def test_postgresql_behaves_as_a_dictionary(new_database, template):
    addresses = iter(lambda: new_database(template), None)
    run_machine(addresses, examples=draws(2, 3), steps=15)


@pytest.mark.long
def test_both_behave_as_a_dictionary_for_long(tmp_path, new_database, template):
    addresses = (str(tmp_path / f"{number}.db") for number in count())
    run_machine(addresses, examples=20, steps=40)
    run_machine(iter(lambda: new_database(template), None), examples=6, steps=40)
