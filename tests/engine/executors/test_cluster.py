"""By way of Ray: the table of a local run, whatever dies; the server counts the calls."""

import json
import threading
import time

import pytest

from benchmaker import RunOptions, resume, run
from benchmaker.errors import PrerequisiteError
from tests.engine.executors.rays import (
    PATIENCE_S,
    a_folder,
    answers,
    driver,
    killed_worker,
    live,
    recorded,
    repeated,
    report,
    rows,
    sums,
    two_nodes,
)
from tests.faults.live_child import a_suite_with_setups
from tests.faults.live_work import answered, stored
from tests.live.faulty import FaultyServer
from tests.live.runs import environ_for
from tests.live.server.pace import Pace
from tests.waiting import until

CONCURRENCY = 8


def in_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_run_on_a_ray_of_its_own_ends_as_a_local_one_though_a_worker_is_killed(tmp_path):
    count, key = 100, "sk-proj-ray-small-0"
    with a_folder() as folder, FaultyServer(Pace(latency_s=0.05)) as server:
        here = live(tmp_path / "here", server, "sk-proj-local-small-0", count, "local")
        killing = in_thread(lambda: killed_worker(lambda: answered(server, key) > 40))
        there = live(tmp_path / "there", server, key, count, "ray")
        killing.join()

        assert there == here
        assert 0 <= repeated(server, key, 2 * count) <= CONCURRENCY
        logs = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
        assert logs
        assert not any(key.encode() in path.read_bytes() for path in logs)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_setups_on_a_ray_give_the_local_table(tmp_path):
    suite, key = a_suite_with_setups(4), "sk-proj-ray-setups-0"
    with a_folder(), FaultyServer(Pace(latency_s=0.02)) as server:
        made = {}
        for executor in ("local", "ray"):
            home, asked = tmp_path / executor, environ_for(server, f"{key}-{executor}")
            options = RunOptions(executor=executor, concurrency=CONCURRENCY)
            assert run(suite, environ=asked, home=home, options=options).is_finished
            more = RunOptions(executor=executor, efforts=["medium"])
            assert resume("latest", environ=asked, home=home, options=more).is_finished
            made[executor] = rows(home), report(home)
    assert made["ray"] == made["local"]
    assert len(made["ray"][0]) == 4 * 2 * 3 * 2 * 3


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_uncertain_cases_are_repeated_on_a_ray_as_locally(tmp_path):
    path = tmp_path / "answers.jsonl"
    lines = [
        {"model": "m", "id": f"c{n}", "run": number, "output": str(n + n + (n % 7 == number % 2))}
        for number in (1, 2, 3, 4) for n in range(40)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    found = {}
    with a_folder():
        for executor in ("local", "ray"):
            options = RunOptions(executor=executor, repeat_where="uncertain")
            made = run(sums(40), recorded=path, home=tmp_path / executor, options=options)
            assert made.is_finished
            found[executor] = [
                [(it.case_id, it.score.score) for it in made.trials() if it.run_id == run_id]
                for run_id in made.run_ids
            ]
    assert found["ray"] == found["local"]
    assert [len(each) for each in found["ray"]] == [40, 40, 12, 12]


def test_an_address_where_no_cluster_answers_is_said(tmp_path):
    with (
        a_folder(),
        FaultyServer() as server,
        pytest.raises(PrerequisiteError, match=r"127\.0\.0\.1:9"),
    ):
        live(tmp_path, server, "sk-proj-nowhere-0", 1, "127.0.0.1:9")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_twelve_thousand_recorded_trials_on_two_nodes_give_the_local_table(tmp_path):
    count = 6_000
    path = answers(tmp_path / "answers.jsonl", count)
    here = recorded(tmp_path / "here", path, count, "local")
    with two_nodes() as (cluster, second):
        home = tmp_path / "there"
        killing = in_thread(lambda: killed_worker(lambda: has(home, 1_200)))
        removing = in_thread(lambda: removed(cluster, second, lambda: has(home, 4_800)))
        there = recorded(tmp_path / "there", path, count, cluster.address)
        killing.join()
        removing.join()

    assert there == here


def has(home, number):
    """Whether so many trials are durable."""
    return (stored(home) or 0) >= number


def most_in_a_minute(amounts):
    """The most in any sixty seconds, of (moment, amount)."""
    return max(
        sum(amount for other, amount in amounts if at <= other < at + 60.0) for at, _ in amounts
    )


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_six_hundred_live_trials_on_two_nodes_outlive_a_worker_and_a_node(tmp_path):
    count, key = 300, "sk-proj-ray-large-0"
    with FaultyServer(Pace(latency_s=0.1)) as server, two_nodes() as (cluster, second):
        here = live(tmp_path / "here", server, "sk-proj-local-large-0", count, "local")
        killing = in_thread(lambda: killed_worker(lambda: answered(server, key) > 150))
        removing = in_thread(lambda: removed(cluster, second, lambda: answered(server, key) > 300))
        there = live(tmp_path / "there", server, key, count, cluster.address)
        killing.join()
        removing.join()

        assert there == here
        twice = repeated(server, key, 2 * count)
        print("asked twice", twice)  # noqa: T201  the figure
        assert 0 <= twice <= 2 * CONCURRENCY


def removed(cluster, node, when):
    until(when, PATIENCE_S)
    cluster.remove_node(node)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_after_the_driver_was_killed_only_what_was_in_flight_is_asked_again(tmp_path):
    count, key, kills = 200, "sk-proj-ray-driver-0", 2
    with FaultyServer(Pace(latency_s=0.1)) as server, two_nodes() as (cluster, _):
        here = live(tmp_path / "here", server, "sk-proj-local-driver-0", count, "local")
        home, environ, command = tmp_path / "there", environ_for(server, key), "run"
        for number in range(kills):
            process = driver(home, environ, cluster.address, count, command)
            while answered(server, key) < 100 * (number + 1):
                assert process.poll() is None
                time.sleep(0.01)
            process.kill()
            process.wait()
            process.stdout.close()
            time.sleep(1.0)
            command = "resume"
        last = driver(home, environ, cluster.address, count, "resume")
        assert json.loads(last.stdout.read())["finished"]
        last.wait()
        last.stdout.close()

        assert (rows(home), report(home)) == here
        assert 0 <= repeated(server, key, 2 * count) <= kills * CONCURRENCY


LIMITED = {"few": (600, 1_000_000), "short": (60_000, 4_000)}
"""By endpoint: the requests and the tokens that it takes in a minute."""
ENDPOINT = """\
  {name}:
    base_url: {url}
    key: {upper}_KEY
    requests_per_minute: {requests}
    tokens_per_minute: {tokens}
"""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_limits_that_a_user_states_hold_at_the_server(tmp_path):
    count = 700
    with FaultyServer(Pace(latency_s=0.05)) as server, two_nodes() as (cluster, _):
        stated = (
            ENDPOINT.format(
                name=name, upper=name.upper(), url=server.openai_url, requests=most, tokens=tokens
            )
            for name, (most, tokens) in LIMITED.items()
        )
        (tmp_path / "endpoints.yaml").write_text("endpoints:\n" + "".join(stated))
        result = run(
            sums(count),
            models=[f"{name}/plain" for name in LIMITED],
            home=tmp_path,
            environ={f"{name.upper()}_KEY": f"sk-proj-{name}-0" for name in LIMITED},
            options=RunOptions(
                executor=cluster.address, concurrency=32, parameters={"max_tokens": 64}
            ),
        )
        entries = {name: server.settled(key=f"sk-proj-{name}-0") for name in LIMITED}

    assert result.is_finished
    for name, (requests, tokens) in LIMITED.items():
        assert len(entries[name]) == count
        asked = [(entry.at_s, 1) for entry in entries[name]]
        taken = [(entry.at_s, entry.given_tokens + entry.made_tokens) for entry in entries[name]]
        print(name, most_in_a_minute(asked), most_in_a_minute(taken))  # noqa: T201
        assert most_in_a_minute(asked) <= requests
        assert most_in_a_minute(taken) <= tokens
        assert max(asked)[0] - min(asked)[0] > 60.0
