"""Keys: read from ``.env``, sent to their host, and written nowhere."""

import base64

import pytest

from benchmaker.cli.context import Context
from benchmaker.cli.output.key_redaction import known_keys, redactor_of
from benchmaker.redact import MARK

FORMATS = ("csv", "json", "jsonl", "markdown", "html", "junit")


def written(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_keys_come_from_a_dotenv_file_in_this_folder(program, server, key, sums, tmp_path):
    (tmp_path / ".env").write_text(
        f"export OPENAI_API_KEY='{key}'\nOPENAI_BASE_URL={server.openai_url} # here\n"
    )
    said = program("run", sums, "--model", "openai/plain", "--json")
    assert said.data["models"][0]["n_scored"] == 4
    assert len(server.settled(key=key)) == 4


def test_the_environment_goes_before_the_dotenv_file(live, server, key, sums, tmp_path):
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-of-the-file\n")
    live("run", sums, "--model", "openai/plain")
    assert len(server.settled(key=key)) == 4


def test_a_key_in_the_error_of_a_users_scorer_is_stored_nowhere(live, environ, sums, tmp_path):
    sums.write_text(sums.read_text().replace('"exact"', '"tests.arenas.leaking:Leaking"'))
    said = live("run", sums, "--model", "openai/plain", code=4)
    shown = live("show", "latest", "c0")
    assert "RuntimeError" in shown.stdout
    assert MARK in shown.stdout
    key = environ["OPENAI_API_KEY"]
    assert key not in said.stdout + said.stderr + shown.stdout
    assert not [path for path, content in written(tmp_path).items() if key.encode() in content]


def test_no_key_is_in_any_file_or_output(program, live, environ, sums, tmp_path):
    key = environ["OPENAI_API_KEY"]
    models = [f"openai/{name}" for name in ("plain", "fault:http_401_echo", "fault:http_500_echo")]
    words = [word for model in models for word in ("--model", model)]
    said = [program("run", sums, *words, "--retries", 0, "--debug", code=4, **environ)]
    for form in FORMATS:
        path = tmp_path / f"out.{form}"
        said.append(live("export", "latest", "--format", form, "--output", path))
    said.append(live("show", "latest", "--all"))
    said.append(live("models", "openai", "--json"))
    texts = [one.stdout + one.stderr for one in said]
    for form in (key, key[:-4], base64.b64encode(key.encode()).decode()[:40]):
        assert not any(form in text for text in texts)
        assert not any(form.encode() in content for content in written(tmp_path).values())


def test_a_crash_tells_no_key_even_with_its_traceback(program, environ, key, sums, tmp_path):
    (tmp_path / "crashing.py").write_text(
        "import os\n"
        "class Crash:\n"
        "    def score(self, case, trial):\n"
        "        raise SystemError(os.environ['OPENAI_API_KEY'])\n"
    )
    sums.write_text(sums.read_text().replace('"exact"', '"crashing:Crash"'))
    more = {**environ, "PYTHONPATH": str(tmp_path)}
    words = ["run", sums, "--model", "openai/plain", "--debug"]
    said = [program(*words, code=None, **more)]
    said.append(program("export", "latest", "--format", "json", code=None, **environ))
    assert said[0].code != 0
    assert not any(key in one.stdout + one.stderr for one in said)


def test_known_keys_are_those_of_every_endpoint(tmp_path):
    (tmp_path / "endpoints.yaml").write_text(
        "endpoints: {mine: {base_url: 'https://a/v1', key: MY_VARIABLE}}\n"
    )
    (tmp_path / ".env").write_text("GROQ_API_KEY=gsk-from-the-file\n")
    environ = {"MY_VARIABLE": "an-own-secret", "OTHER": "no-secret"}
    context = Context(home=tmp_path, environ=environ, dotenv=tmp_path / ".env")
    assert set(known_keys(context)) == {"an-own-secret", "gsk-from-the-file"}
    assert redactor_of(context).text("it is an-own-secret") == f"it is {MARK}"


def test_files_that_cannot_be_read_hide_no_less_of_the_rest(tmp_path):
    (tmp_path / "endpoints.yaml").write_text("endpoints: [")
    (tmp_path / ".env").write_bytes(b"\xff\xfe")
    environ = {"OPENAI_API_KEY": "an-own-secret"}
    context = Context(home=tmp_path, environ=environ, dotenv=tmp_path / ".env")
    assert known_keys(context) == ("an-own-secret",)


def test_without_a_context_what_looks_like_a_key_is_hidden():
    assert "abcdef" not in redactor_of(None).text("sk-proj-abcdef1234567890abcdef")


def test_printing_a_context_shows_no_key(tmp_path):
    assert "secret" not in repr(Context(home=tmp_path, environ={"A": "secret"}))


@pytest.mark.parametrize("words", [["results", "nosuch"], ["run", "nosuch.yaml"]])
def test_an_error_that_repeats_a_key_does_not_show_it(live, key, ran, words):
    del ran
    told = live(*words[:-1], f"{words[-1]}{key}", *["--recorded", "x"] * (words[0] == "run"),
                "--json", code=2)  # fmt: skip
    assert key not in told.stdout + told.stderr
    assert MARK in told.stderr
