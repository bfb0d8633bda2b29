import asyncio
import json
from dataclasses import replace as changed

import pytest
from msgspec.structs import replace

from benchmaker import (
    BenchmakerError,
    Case,
    Parameters,
    RunOptions,
    RunResult,
    ScorerSpec,
    SpecError,
    aresume,
    arun,
    rescore,
    results,
    resume,
    run,
)
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.errors import AuthError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, Outcome, RunState
from benchmaker.store import Store
from tests.call_keywords import call_keywords
from tests.engine.run_data import a_seed, right, sums


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def recorded(tmp_path):
    """Writes recorded answers, and says where."""

    def write(answers, name="answers.jsonl"):
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(line)}\n" for line in answers), encoding="utf-8")
        return path

    return write


def answers(count, models=("a", "b"), runs=(None,)):
    return [
        {"model": model, "id": f"c{n}", "output": str(n)} | ({"run": label} if label else {})
        for label in runs
        for n in range(count)
        for model in models
    ]


def asked(home, suite=None, **options):
    options.setdefault("provider", Scripted(right, models=("a", "b")))
    return run(suite or sums(4), home=home, **call_keywords(options))


def test_a_run_over_recorded_answers_is_scored_and_stored(home, recorded):
    result = run(sums(4), recorded=recorded(answers(4)), home=home)

    assert isinstance(result, RunResult)
    assert (result.models, result.mean("a"), result.mean("b")) == (("a", "b"), 1.0, 1.0)
    assert result.is_finished
    assert not result.interrupted
    assert len(list(result.trials())) == 8
    assert results(home=home).run_ids == result.run_ids


@pytest.mark.sqlite("the file is what is tested")
def test_the_file_of_the_store_lies_in_the_data_folder(home):
    asked(home)

    assert (home / "benchmaker.db").is_file()


def test_the_store_may_lie_elsewhere(home, tmp_path):
    result = asked(home, store=str(tmp_path / "elsewhere.db"))

    assert not home.exists()
    assert results(home=home, store=str(tmp_path / "elsewhere.db")).run_ids == result.run_ids


def test_everything_needed_to_do_it_again_is_recorded(home, recorded):
    path = recorded(answers(4))
    suite = sums(4, system_prompt="Be brief.", parameters=Parameters(benchmark_mode=True))
    [stored] = run(
        suite, recorded=path, home=home, options=RunOptions(seed=7, limit=3, tags=())
    ).runs

    assert stored.suite_name == suite.name
    assert stored.suite_hash == suite.content_hash
    assert (stored.profile, stored.profile_version) == ("classic", "1")
    assert stored.parameters["temperature"] == 0.0
    assert stored.benchmark_mode
    assert (stored.system_prompt, stored.seed, stored.selection.limit) == ("Be brief.", 7, 3)
    assert stored.provider["kind"] == "recorded"
    assert len(stored.provider["sha256"]) == 64
    assert stored.planned == 6
    assert stored.package_version
    assert stored.started_at < stored.finished_at


def test_another_profile_does_not_make_another_suite(home):
    suite = sums(4)
    classic = asked(home, suite)
    robust = asked(home, suite, profile="robust")

    assert [one.runs[0].profile for one in (classic, robust)] == ["classic", "robust"]
    assert classic.runs[0].suite_hash == robust.runs[0].suite_hash
    assert {trial.score.profile for trial in robust.trials()} == {"robust/2"}


def test_named_models_alone_are_asked(home, recorded):
    result = run(sums(4), recorded=recorded(answers(4)), models=["b"], home=home)

    assert result.models == ("b",)


def test_a_missing_recorded_answer_is_left_out_of_the_mean(home, recorded):
    result = run(sums(4), recorded=recorded(answers(3)), home=home)
    [missing] = [trial for trial in result.trials() if trial.model == "a" and trial.position == 3]

    assert missing.outcome is Outcome.PROVIDER_ERROR
    assert "no recorded answer" in missing.error
    assert result.mean("a") == 1.0
    assert result.summary.models[0].n_scored == 3
    assert result.is_finished


def test_answers_to_no_case_of_the_suite_are_noted(home, recorded):
    result = run(sums(4), recorded=recorded(answers(7)), home=home)

    note = "6 recorded answers match no case of the suite: for example 'c4', 'c5', 'c6'"
    assert result.runs[0].notes == (note,)
    assert result.summary.to_dict()["notes"] == [note]


def test_a_run_begun_with_another_order_of_labels_goes_on_with_it(home, recorded):
    lines = answers(4, models=("a",), runs=("1", "2"))
    path = recorded(lines[1:])
    done = run(sums(4), recorded=path, home=home)
    assert done.runs[0].provider["run_labels"] == ["1", "2"]
    with Store.open(home / "benchmaker.db") as store:
        for one in done.runs:
            earlier = one.provider | {"run_labels": ["2", "1"]}
            store.amend_run(replace(one, provider=earlier))
    again = resume(done.series_id, home=home, options=RunOptions(retry_failed=True))
    looked_up = {trial.run_id: trial for trial in again.trials() if trial.case_id == "c0"}
    assert looked_up[done.run_ids[0]].completion is not None


def test_all_runs_of_the_file_become_a_series(home, recorded):
    path = recorded(answers(4, runs=("x", "y", "z")))
    result = run(sums(4), recorded=path, home=home)

    assert len(result.run_ids) == 3
    assert result.series_id.startswith("s-")
    assert [member.number for member in result.runs] == [1, 2, 3]
    assert results(result.series_id, home=home).run_ids == result.run_ids


def test_fewer_runs_than_the_file_has_can_be_asked_for(home, recorded):
    path = recorded(answers(4, runs=("x", "y", "z")))
    result = run(sums(4), recorded=path, home=home, options=RunOptions(runs=1))

    assert (len(result.run_ids), result.series_id) == (1, None)


def test_more_runs_than_the_file_has_are_refused(home, recorded):
    with pytest.raises(SpecError, match="3 runs requested, but the recorded answers have 1"):
        run(sums(4), recorded=recorded(answers(4)), home=home, options=RunOptions(runs=3))


class Silent:
    """A provider that says nothing of its models."""

    async def complete(self, request):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"runs": 0}, "runs must be at least 1"),
        ({"limit": 0}, "limit must be at least 1"),
        ({"concurrency": 0}, "concurrency must be at least 1"),
        ({"categories": ["nowhere"]}, "no cases selected"),
        ({"tags": "nowhere"}, "no cases selected"),
        ({"profile": "robost"}, "profile must be"),
        ({"provider": None}, "no model and no answers given"),
        ({"provider": object()}, "is not a provider"),
        ({"provider": Silent()}, "has no models"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_asked(home, options, said):
    with pytest.raises(SpecError, match=said):
        asked(home, **options)


def test_a_wrong_field_mapping_is_refused(home, recorded):
    with pytest.raises(SpecError, match="outptu"):
        run(sums(4), recorded=recorded(answers(4)), fields={"outptu": "text"}, home=home)


def test_fields_say_where_the_values_stand(home, recorded):
    lines = [{"who": "a", "question_id": f"c{n}", "turns": [{"said": str(n)}]} for n in range(4)]
    fields = {"model": "who", "id": "question_id", "output": "turns.0.said"}
    result = run(sums(4), recorded=recorded(lines), fields=fields, home=home)

    assert result.mean("a") == 1.0


def test_filters_choose_the_cases(home):
    cases = [Case(id=f"c{n}", prompt="?", expected=str(n), category="ab"[n % 2]) for n in range(6)]
    suite = changed(sums(1), cases=cases)
    result = asked(home, suite, categories="b", limit=2, models=("m",))

    assert [trial.case_id for trial in result.trials()] == ["c1", "c3"]


def test_inside_an_event_loop_the_awaitable_is_named(home):
    async def inside():
        return asked(home)

    with pytest.raises(SpecError, match=r"await arun"):
        asyncio.run(inside())


def test_inside_an_event_loop_it_can_be_awaited(home):
    provider = Scripted(right, models=("a",))
    result = asyncio.run(arun(sums(4), provider=provider, home=home))

    assert result.mean("a") == 1.0


def test_a_single_case_has_a_wide_interval_and_is_provisional(home):
    (model,) = asked(home, sums(1), models=("a",)).summary.models

    assert model.ci95 == pytest.approx((0.2065, 1.0), abs=1e-4)
    assert model.is_provisional


def test_a_mean_of_an_unknown_model_names_those_there_are(home):
    with pytest.raises(SpecError, match="Models of the run: a, b"):
        asked(home).mean("c")


def test_the_result_prints_itself(home):
    result = asked(home)

    assert repr(result) == (
        f"<RunResult {result.run_ids[0]}: a suite, classic>\n  a: 1.000 (n=4)\n  b: 1.000 (n=4)"
    )


def test_columns_are_those_of_the_stored_scores(home):
    result = asked(home)

    assert result.columns().score.tolist() == [1.0] * 8


def test_columns_are_read_once_for_the_summary_and_all_that_follows(home):
    result = asked(home)

    assert result.columns() is result.columns()


def stopping_provider(stop, after):
    seen = []

    def answer(request):
        seen.append(request)
        if len(seen) == after:
            stop.set()
        return right(request)

    return Scripted(answer, models=("a", "b"))


def interrupted(home, after=3, **options):
    """A run of four cases by two models that was stopped after so many trials."""

    async def work():
        stop = asyncio.Event()
        provider = stopping_provider(stop, after)
        given = call_keywords({"provider": provider, "concurrency": 1} | options)
        return await arun(sums(4), home=home, stop=stop, **given)

    return asyncio.run(work())


def test_an_interrupted_run_says_so_and_can_be_resumed(home):
    begun = interrupted(home)
    provider = Scripted(right, models=("a", "b"))
    ended = resume(begun.run_ids[0], provider=provider, home=home)

    assert (begun.interrupted, begun.is_finished) == (True, False)
    assert "interrupted" in repr(begun)
    assert (ended.interrupted, ended.is_finished) == (False, True)
    assert provider.calls == 5


def test_a_resumed_report_equals_that_of_an_uninterrupted_run(home, tmp_path):
    begun = interrupted(home)
    ended = resume(provider=Scripted(right), home=home)
    straight = asked(tmp_path / "straight")

    def told(result):
        text = json.dumps(result.summary.to_dict(), sort_keys=True)
        return text.replace(result.run_ids[0], "RUN")

    assert ended.run_ids == begun.run_ids
    assert told(ended) == told(straight)


def test_an_interrupted_series_is_resumed_whole(home):
    begun = interrupted(home, after=10, runs=3)
    ended = resume(begun.series_id, provider=Scripted(right), home=home)

    assert [member.state.value for member in begun.runs] == [
        "finished",
        "interrupted",
        "interrupted",
    ]
    assert ended.is_finished
    assert ended.run_ids == begun.run_ids
    assert len(list(ended.trials())) == 24


def test_a_further_model_is_asked_alone(home):
    begun = asked(home)
    provider = Scripted(right, models=("a", "b", "c"))
    ended = resume(begun.run_ids[0], add_models="c", provider=provider, home=home)

    assert ended.models == ("a", "b", "c")
    assert ended.run_ids == begun.run_ids
    assert ended.is_finished
    assert provider.calls == 4
    assert [ended.mean(model) for model in "abc"] == [1.0, 1.0, 1.0]


def test_further_runs_make_a_series_of_a_run(home):
    begun = asked(home)
    provider = Scripted(right, models=("a", "b"))
    ended = resume(begun.run_ids[0], provider=provider, home=home, options=RunOptions(runs=3))

    assert ended.series_id is not None
    assert ended.run_ids[0] == begun.run_ids[0]
    assert len(ended.run_ids) == 3
    assert provider.calls == 16
    again = resume(ended.series_id, provider=provider, home=home, options=RunOptions(runs=4))
    assert again.run_ids[:3] == ended.run_ids
    assert provider.calls == 24


def test_models_and_runs_may_come_together(home):
    begun = asked(home, runs=2)
    provider = Scripted(right, models=("a", "b", "c"))
    ended = resume(
        begun.series_id, add_models=["c"], provider=provider, home=home, options=RunOptions(runs=3)
    )

    assert ended.is_finished
    assert provider.calls == 2 * 4 + 12
    assert len(list(ended.trials())) == 36


def test_what_is_there_already_asks_nobody(home):
    begun = asked(home, runs=2)
    ended = resume(begun.series_id, add_models=["a"], home=home, options=RunOptions(runs=2))
    assert ended.run_ids == begun.run_ids


def test_fewer_runs_than_there_are_are_refused(home):
    asked(home, runs=2)
    with pytest.raises(SpecError, match="1 run requested, but 2 already exist"):
        resume(home=home, options=RunOptions(runs=1))


def test_further_models_and_runs_of_a_file_must_be_in_it(home, recorded):
    path = recorded(answers(4, models=("a", "b"), runs=("1", "2")))
    begun = run(sums(4), recorded=path, models=["a"], home=home, options=RunOptions(runs=1))
    with pytest.raises(SpecError, match="3 runs requested, but the recorded answers have 2"):
        resume(begun.run_ids[0], home=home, options=RunOptions(runs=3))
    with pytest.raises(SpecError, match="bb"):
        resume(begun.run_ids[0], add_models=["bb"], home=home)
    assert results(begun.run_ids[0], home=home).models == ("a",)

    ended = resume(begun.run_ids[0], add_models=["b"], home=home, options=RunOptions(runs=2))
    assert ended.is_finished
    assert (ended.models, len(ended.run_ids)) == (("a", "b"), 2)


def test_a_finished_run_is_resumed_without_its_answers(home, recorded):
    path = recorded(answers(4))
    result = run(sums(4), recorded=path, home=home)
    path.unlink()

    assert resume(home=home).run_ids == result.run_ids


def torn(home, recorded):
    """A recorded run of which half the rows are missing, as after a crash."""
    path = recorded(answers(4))
    result = run(sums(4), recorded=path, home=home)
    with Store.open(home / "benchmaker.db") as store:
        whole = store.run(result.run_ids[0])
        store.delete_run(whole.id)
        store.add_run(changed_state(whole))
    return path, result


def changed_state(whole):
    from msgspec.structs import replace  # noqa: PLC0415

    return replace(whole, state=RunState.RUNNING, finished_at=None)


def test_recorded_answers_are_found_again(home, recorded):
    _, result = torn(home, recorded)

    assert resume(result.run_ids[0], home=home).is_finished


def test_recorded_answers_may_have_moved(home, recorded, tmp_path):
    path, _ = torn(home, recorded)
    moved = path.rename(tmp_path / "moved.jsonl")

    assert resume(recorded=moved, home=home).is_finished


def test_changed_recorded_answers_are_refused_with_both_hashes(home, recorded):
    _, result = torn(home, recorded)
    recorded([*answers(4), {"model": "a", "id": "c9", "output": "9"}])
    before = result.runs[0].provider["sha256"]

    with pytest.raises(SpecError, match=before) as caught:
        resume(home=home)

    assert len(str(caught.value).split("is ")[1].split(")")[0]) == 64


def test_answers_from_python_have_to_be_given_again(home):
    interrupted(home)

    with pytest.raises(SpecError, match="provider=") as caught:
        resume(home=home)

    assert "scripted" in str(caught.value)


def test_resuming_can_be_awaited(home):
    interrupted(home)

    assert asyncio.run(aresume(provider=Scripted(right), home=home)).is_finished


def test_a_stopped_model_is_told_with_the_reason(home):
    provider = Scripted(
        lambda request: AuthError("wrong key") if request.model == "a" else right(request),
        models=("a", "b"),
    )
    result = asked(home, provider=provider)

    assert result.stopped == {"a": "wrong key"}
    assert (result.is_finished, result.is_to_resume) == (True, True)
    assert not result.interrupted
    assert result.mean("b") == 1.0


def test_rescoring_counts_the_newest_score(home):
    texts = Scripted(lambda request: f"It is {right(request)}.", models=("a",))
    before = asked(home, provider=texts)
    after = rescore(scorer={"id": "boolean"}, home=home)

    assert before.mean("a") < 1.0
    assert after.mean("a") == 1.0
    assert after.run_ids == before.run_ids


def test_rescoring_under_another_profile_is_shown_as_such(home):
    asked(home)
    result = rescore(home=home, options=RunOptions(profile="robust"))

    assert result.runs[0].profile == "robust"
    assert result.summary.to_dict()["profile"] == "robust"


def test_a_series_is_rescored_whole(home):
    asked(home, runs=2)
    result = rescore(home=home, options=RunOptions(profile="robust"))

    assert {member.profile for member in result.runs} == {"robust"}


def test_what_is_no_scorer_is_refused(home):
    asked(home)

    with pytest.raises(SpecError, match="not a scorer"):
        rescore(scorer={"tolerance": 1}, home=home)


def test_the_same_seed_of_ids_is_refused_rather_than_mixed(home):
    asked(home, random=a_seed())

    with pytest.raises(BenchmakerError):
        asked(home, random=a_seed())


def test_costs_and_latencies_are_kept(home):
    provider = Scripted([Completion(text="0", cost_usd=0.25, latency_s=1.5)], models=("a",))
    row = asked(home, sums(1), provider=provider).summary.models[0]

    assert (row.cost_usd, row.median_latency_s) == (0.25, 1.5)


def test_many_workers_change_nothing(home, tmp_path, recorded):
    path = recorded(answers(200))
    one = run(sums(200), recorded=path, home=home, options=RunOptions(concurrency=1))
    many = run(sums(200), recorded=path, home=tmp_path / "many", options=RunOptions(concurrency=40))

    def bare(result):
        return [(t.case_id, t.model, t.outcome, t.score, t.completion) for t in result.trials()]

    assert bare(one) == bare(many)


def test_a_suite_without_a_scorer_of_its_own_uses_the_cases(home):
    case = Case(id="c1", prompt="?", expected="1", scorer=ScorerSpec(id="exact"))
    result = asked(home, changed(sums(1, scorer=None), cases=(case,)), models=("a",))

    assert result.mean("a") == 1.0


def test_a_drain_is_ten_seconds_by_default():
    assert RunLimits().drain_s == 10.0
