"""Tasks that list hosts: what an agent reaches, and where the list is stated."""

import pytest

from benchmaker.arenas.agentic.running.agent_check import check_task
from benchmaker.arenas.agentic.running.agents import find_agent
from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import TrialOutcome
from benchmaker.sandbox import PROXY_URL
from benchmaker.spec.tasks.task_file import load_task
from tests.arenas.agentic.running.test_trial import SOLVE
from tests.arenas.agentic.verify.made import a_task, written

HOSTS = ("own.example", "*.files.example")
TRY = f"""
import os, socket, sys, urllib.error, urllib.request
assert os.environ["https_proxy"] == "{PROXY_URL}", dict(os.environ)
def status(url):
    try:
        return urllib.request.urlopen(url, timeout=20).status
    except urllib.error.HTTPError as exc:
        return exc.code
said = [status(url) for url in sys.argv[1:]]
try:
    socket.create_connection(("1.1.1.1", 53), 2)
    said.append("out")
except OSError:
    said.append("in")
open("said.txt", "w").write(" ".join(map(str, said)))
os.system({SOLVE!r})
"""


def with_hosts(*hosts):
    task = check_task()
    return task._replace(task=task.task.model_copy(update={"network": hosts}))


def test_other_hosts_addresses_and_redirects_are_refused(trials, agent_of, tmp_path):
    urls = ("http://other.example/", "http://127.0.0.1.nip.example/", "http://169.254.169.254/")
    agent = agent_of(TRY, *urls)
    trial, made = trials.run(agent, task=with_hosts(*HOSTS), keep=tmp_path / "left")
    assert (trial.outcome, trial.network) == (TrialOutcome.SOLVED, ", ".join(HOSTS)), trial.detail
    assert (tmp_path / "left/project/said.txt").read_text() == "403 403 403 in"
    verification = trials.store.agentic.verification(made.id)
    assert verification.isolation == "namespace, network: own.example, *.files.example"


def test_without_a_list_the_network_is_off(trials):
    agent = find_agent(f"command:sh -c {SOLVE!r}")
    trial, made = trials.run(agent, model="")
    assert trial.network == "off"
    assert trials.store.agentic.verification(made.id).isolation == "namespace"


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (["10.0.0.1"], "network: '10.0.0.1' is no host"),
        ("own.example", "network: it must be true, false, or a list of hosts"),
        (1, "network: it must be true, false, or a list of hosts"),
    ],
)
def test_another_network_is_refused_in_one_sentence(tmp_path, network, message):
    with pytest.raises(SpecError) as refused:
        a_task(tmp_path / "own", network=network)
    assert message in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


class TestHarbor:
    FILES = {  # noqa: RUF012  read only
        "instruction.md": "Do it.\n",
        "environment/Dockerfile": "FROM ubuntu:24.04\nWORKDIR /app\n",
        "tests/test.sh": "exit 0\n",
    }

    def task(self, tmp_path, toml):
        return load_task(written(tmp_path / "t", {**self.FILES, "task.toml": toml})).task

    def test_an_allow_list_needs_no_container(self, tmp_path):
        toml = '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["Own.Example"]\n'
        task = self.task(tmp_path, toml)
        assert (task.network, task.isolation) == (("own.example",), "namespace")

    def test_the_list_of_the_agent_comes_first(self, tmp_path):
        toml = (
            '[agent]\nnetwork_mode = "no-network"\n'
            '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["own.example"]\n'
        )
        assert self.task(tmp_path, toml).network is False

    @pytest.mark.parametrize("host", ["10.0.0.0/8", "192.0.2.1", "http://own.example"])
    def test_addresses_are_refused_with_their_line(self, tmp_path, host):
        toml = f'[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["{host}"]\n'
        with pytest.raises(Exception, match=r"task.toml:3.*is no host"):
            self.task(tmp_path, toml)
