import json
import subprocess
import sys
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from benchmaker.accounts.sealing import KEY_FILE, KEY_VARIABLE, SecretSealer, new_key
from benchmaker.cli import main
from benchmaker.errors import SpecError
from benchmaker.providers.network.egress import VARIABLE
from benchmaker.record import Completion
from benchmaker.redact import MARK, Redactor
from benchmaker.store import Store
from benchmaker.store.home import Home
from benchmaker.store.team_stores import make_team_place
from benchmaker.web import Settings
from benchmaker.web.accounts.workbenches import Benches
from benchmaker.web.tickets import PreviewOf
from benchmaker.web.workbench import Workbench
from tests.store.filled import a_trial, add_run
from tests.store.filled import put as put_trials
from tests.waiting import until
from tests.web.accounts.conftest import MANY
from tests.web.accounts.people import JSON, sign_in
from tests.web.answering import answering
from tests.web.serving import apps, serving

pytestmark = pytest.mark.postgresql("schemas of teams")

SECRET = "sk-made-up-0123456789abcdef"  # noqa: S105  made up
SERVERS = {
    "OPENAI_API_KEY": "sk-of-the-server-0123456789",
    "HTTPS_PROXY": "http://proxy.example:3128",
    "https_proxy": "http://proxy.example:3128",
    "SSL_CERT_FILE": "/etc/certificates.pem",
    "BENCHMAKER_STORE": "postgresql://me:w0rdpass@host/db",
}


@pytest.fixture(params=["sqlite", "postgresql"])
def bench(request, tmp_path):
    """The workbench of a server with the teams main and other; nobody works."""
    url = None
    if request.param == "postgresql":
        new, template = map(request.getfixturevalue, ("new_database", "template"))
        url = new(template)
    hides = Redactor()
    settings = Settings(
        home=tmp_path, store_url=url, environ=SERVERS, works=False, hides=hides,
        preview_host="localhost:1",
    )  # fmt: skip
    made = Workbench(settings, opener=Benches)
    made.store.accounts.add_user("ada", None)
    made.store.accounts.add_team("other", "The others")
    yield made
    made.close()


def put(bench, team, name, value=SECRET):
    """Keep a secret, as another process does."""
    sealed = SecretSealer.of(bench.home, SERVERS).seal(value, team=team, name=name)
    bench.store.accounts.put_secret(team, name, sealed, by="ada")


def test_main_is_what_was_there_before(bench):
    assert bench.of_team("main") is bench


def test_a_team_has_its_own_folder_and_store(bench):
    other = bench.of_team("other")
    add_run(bench.store)

    assert other.home == bench.home / "teams" / "other"
    assert other.store.runs() == ()
    assert len(bench.store.runs()) == 1
    assert not other.store.accounts.has_users()
    assert bench.of_team("other") is other


@pytest.mark.parametrize("team", ["nobody", "../other", ""])
def test_a_team_that_is_not_there_has_no_workbench(bench, team):
    with pytest.raises(SpecError):
        bench.of_team(team)
    assert not (bench.home / "teams" / "nobody").exists()


def test_a_team_whose_place_was_made_before_is_found(bench):
    place = Home(bench.home, bench.settings.store_url)
    make_team_place(place, "other")
    with place.of_team("other").open_store() as store:
        add_run(store)

    assert [run.id for run in bench.of_team("other").store.runs()] == ["run-1"]


def test_secrets_are_of_one_team_and_go_before_the_servers_variables(bench):
    put(bench, "main", "OPENAI_API_KEY")
    put(bench, "other", "ANTHROPIC_API_KEY", "sk-ant-made-up-9876543210")
    main, other = (bench.of_team(team).settings.environ for team in ("main", "other"))

    assert main["OPENAI_API_KEY"] == SECRET
    assert "ANTHROPIC_API_KEY" not in main
    assert other["ANTHROPIC_API_KEY"] == "sk-ant-made-up-9876543210"
    assert "OPENAI_API_KEY" not in other


def test_a_team_has_the_way_to_the_network_and_no_key_of_the_server(bench):
    main, other = (bench.of_team(team).settings.environ for team in ("main", "other"))

    assert main["OPENAI_API_KEY"] == SERVERS["OPENAI_API_KEY"]
    assert "OPENAI_API_KEY" not in other
    for environ in (main, other):
        assert environ["https_proxy"] == SERVERS["https_proxy"]
        assert environ["SSL_CERT_FILE"] == SERVERS["SSL_CERT_FILE"]
        assert "BENCHMAKER_STORE" not in environ
        assert environ[VARIABLE] == "internet"


def test_an_answer_under_way_opens_nothing_anew_once_all_is_closed(bench):
    both = (bench, bench.of_team("other"))
    stores = [it.store for it in both]
    bench.close()
    assert [it.store for it in both] == stores
    assert bench.store.runs() == ()  # its connection ends with its use, or it would be told


def test_what_carries_out_jobs_reaches_as_far_as_pages(bench):
    other = bench.of_team("other")

    assert other.standard.environ is other.settings.environ
    assert bench.standard.environ is bench.settings.environ
    assert bench.standard.environ[VARIABLE] == "internet"


def test_a_company_network_is_reached_where_that_was_asked_for(tmp_path):
    bench = Workbench(Settings(home=tmp_path, works=False, allow_private=True), opener=Benches)
    bench.store.accounts.add_user("ada", None)

    assert bench.of_team("main").settings.environ[VARIABLE] == "network"
    bench.close()


def test_a_secret_of_another_process_counts_soon(bench):
    environ = bench.of_team("other").settings.environ
    assert "A_KEY" not in environ
    put(bench, "other", "A_KEY")
    until(lambda: "A_KEY" in environ, 300)


def test_secrets_are_taken_out_of_whatever_is_written_down(bench):
    value = "made-up value of a secret"
    put(bench, "other", "NOTICE_SECRET", value)
    other = bench.of_team("other")

    assert other.redactor.text(f"it is {value}.") == f"it is {MARK}."
    assert bench.settings.hides.text(value) == MARK
    assert SERVERS["OPENAI_API_KEY"] not in bench.redactor.text(SERVERS["OPENAI_API_KEY"])


def test_a_base_url_is_no_secret(bench):
    put(bench, "other", "OPENAI_BASE_URL", "https://gateway.example/v1")

    shown = bench.of_team("other").redactor.text("asked at https://gateway.example/v1")
    assert shown == "asked at https://gateway.example/v1"


def test_printing_shows_no_secret(bench):
    put(bench, "other", "A_KEY")
    other = bench.of_team("other")

    assert SECRET not in f"{other.settings.environ!r} {other.settings!r} {other.standard!r}"


def test_a_secret_that_does_not_open_is_left_out_and_the_others_count(bench, caplog):
    put(bench, "other", "A_KEY")
    lost = SecretSealer([new_key()]).seal(SECRET, team="other", name="B_KEY")
    bench.store.accounts.put_secret("other", "B_KEY", lost, by="ada")
    environ = bench.of_team("other").settings.environ

    assert environ["A_KEY"] == SECRET
    assert "B_KEY" not in environ
    assert "B_KEY" in caplog.text
    assert SECRET not in caplog.text


def test_a_reserved_name_that_came_into_the_database_somehow_counts_for_nothing(bench):
    put(bench, "other", "HTTPS_PROXY", "http://169.254.169.254")
    put(bench, "other", VARIABLE, "anything")
    environ = bench.of_team("other").settings.environ

    assert environ["HTTPS_PROXY"] == SERVERS["HTTPS_PROXY"]
    assert environ[VARIABLE] == "internet"


def test_the_key_that_seals_is_never_a_variable_of_a_team(tmp_path):
    environ = {KEY_VARIABLE: new_key(), "A": "b"}
    bench = Workbench(Settings(home=tmp_path, works=False, environ=environ), opener=Benches)
    bench.store.accounts.add_user("ada", None)

    assert KEY_VARIABLE not in bench.of_team("main").settings.environ
    assert not (tmp_path / KEY_FILE).exists()
    bench.close()


def test_without_secrets_no_key_is_made(bench):
    bench.of_team("other")
    assert not (bench.home / KEY_FILE).exists()


def test_a_ticket_is_of_its_team(bench):
    other = bench.of_team("other")
    page = PreviewOf("run-1", "case-1", "model")
    theirs, ours = other.tickets.give(page), bench.tickets.give(page)

    assert theirs != ours
    assert bench.tickets.find(theirs).team == "other"
    assert bench.tickets.find(ours).team == ""
    assert other.tickets.find(ours) is None
    assert other.tickets.find(theirs).run_id == "run-1"


def test_all_are_told_when_the_server_is_about_to_end(bench):
    other = bench.of_team("other")
    bench.leave()

    assert other.is_leaving


def test_without_accounts_nothing_is_narrowed(tmp_path):
    bench = Workbench(Settings(home=tmp_path, works=False, environ=SERVERS), opener=Benches)
    bench.settle()

    assert bench.teams is None
    assert bench.settings.environ is SERVERS
    bench.close()


def test_without_accounts_nothing_that_seals_is_loaded(tmp_path):
    program = f"""
import sys
from pathlib import Path
from benchmaker.web import Settings, create_app
app = create_app(Settings(home=Path({str(tmp_path)!r}), works=False))
app.state.bench.settle()
print([name for name in ("cryptography", "argon2", "authlib") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


# Over a real server


ORDER = b'{"answers": "example", "suite": "example"}'


def test_a_run_of_a_team_is_carried_out_in_its_store(own_signed_home):
    with serving(own_signed_home, works=True, requests_a_minute=MANY) as address:
        eve, _ = sign_in(address, "eve")
        ada, _ = sign_in(address, "ada")
        begun = eve.ask("POST", "/api/v1/runs", ORDER, **JSON)
        assert begun.status == 202, begun.text
        run = begun.data["run_ids"][0]
        until(lambda: eve.get(f"/api/v1/runs/{run}").data["state"] == "finished", 300)
        assert ada.get(f"/api/v1/runs/{run}").status == 404
        assert run not in ada.get("/runs").text
        assert run in eve.get("/runs").text
    with Store.open(own_signed_home / "teams" / "other" / "benchmaker.db") as store:
        assert [it.id for it in store.runs()] == [run]


def test_what_waits_in_a_team_is_carried_out_when_the_server_starts(own_signed_home):
    with serving(own_signed_home, works=False, requests_a_minute=MANY) as address:
        eve, _ = sign_in(address, "eve")
        run = eve.ask("POST", "/api/v1/runs", ORDER, **JSON).data["run_ids"][0]
    with (
        serving(own_signed_home, works=True, requests_a_minute=MANY),
        Store.open(own_signed_home / "teams" / "other" / "benchmaker.db") as store,
    ):
        until(lambda: store.run(run).state == "finished", 300)


def test_a_worker_of_its_own_carries_out_the_runs_of_one_team(own_signed_home, monkeypatch):
    monkeypatch.delenv("BENCHMAKER_STORE", raising=False)
    with serving(own_signed_home, works=False, requests_a_minute=MANY) as address:
        eve, _ = sign_in(address, "eve")
        run = eve.ask("POST", "/api/v1/runs", ORDER, **JSON).data["run_ids"][0]
    words = ["worker", "--once", "--json", "--home", str(own_signed_home)]
    of_main = CliRunner().invoke(main, words)
    of_other = CliRunner().invoke(main, [*words, "--team", "other"])

    assert json.loads(of_main.stdout) == {"ended": 0}
    assert json.loads(of_other.stdout) == {"ended": 1}
    with Store.open(own_signed_home / "teams" / "other" / "benchmaker.db") as store:
        assert store.run(run).state == "finished"


def test_no_page_leads_to_a_private_address(own_signed_home):
    with (
        answering(lambda _: "ok") as models,
        serving(own_signed_home, works=False, requests_a_minute=MANY) as address,
    ):
        ada, _ = sign_in(address, "ada")
        order = f'{{"models": ["{models.url}#m"]}}'.encode()
        begun = ada.ask("POST", "/api/v1/runs", order, **JSON)
        listed = ada.get(f"/arena/models?endpoint={models.url}&q=m")

        assert begun.status == 422
        assert "does not connect" in begun.text
        assert "does not connect" in listed.text
        assert models.asked == []


def test_a_private_address_is_asked_where_that_was_allowed(own_signed_home):
    with (
        answering(lambda _: "ok") as models,
        serving(
            own_signed_home, works=False, requests_a_minute=MANY, allow_private=True
        ) as address,
    ):
        ada, _ = sign_in(address, "ada")
        order = f'{{"models": ["{models.url}#m"]}}'.encode()

        assert ada.ask("POST", "/api/v1/runs", order, **JSON).status == 202


@pytest.mark.parametrize("model", ["command:cat", "python:os.path:join"])
def test_nobody_has_a_program_run(own_server, model):
    order = f'{{"models": ["{model}"]}}'.encode()

    assert own_server.browser("ada").ask("POST", "/api/v1/runs", order, **JSON).status == 422


def test_the_pages_of_a_team_show_its_own_folder(own_server):
    eve = own_server.browser("eve")
    about = eve.get("/settings/about").text

    assert str(own_server.home / "teams" / "other") in about
    bench = apps[own_server.address].state.bench
    assert bench.of_team("other").home == own_server.home / "teams" / "other"


def test_a_preview_shows_the_page_of_its_team(own_signed_home):
    page = "```html\n<!doctype html><html><body><p>of {}</p></body></html>\n```"
    place = Home(own_signed_home)
    make_team_place(place, "other")
    for team in ("main", "other"):
        with place.of_team(team).open_store() as store:
            add_run(store)
            put_trials(store, a_trial(completion=Completion(text=page.format(team))))
    with serving(own_signed_home, previews=True, works=False) as address:
        bench = apps[address].state.bench
        for team in ("main", "other"):
            given = bench.of_team(team).tickets.give(PreviewOf("run-1", "case-0", "model-a"))
            shown = f"http://{bench.settings.preview_host}/p/{given}/"
            with urlopen(shown) as answer:
                assert f"of {team}" in answer.read().decode()
