"""Adapter files: what they may say, and the fault with its line if they say it wrong."""

import json
import subprocess
import sys

import jsonschema
import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.agents.adapter import AgentAdapter, adapter_schema
from benchmaker.spec.agents.adapter_file import load_adapter

WHOLE = """
name = "mine"
argv = ["mine", "--model", "{model}", "{prompt}"]
version = ["mine", "--version"]
wire = "chat"
logs = ["~/.mine/**", "stdout"]
effort_argv = ["--effort={effort}"]

[env]
MINE_URL = "{base_url}/v1"
MINE_KEY = "{token}"

[files]
"~/.mine/config.json" = '{"key": "{token}", "keep": {"braces": "{other}"}}'

[exit_codes]
53 = "budget"
"""
VALUES = {
    "prompt": "Write {model} into a file.",
    "model": "m-1",
    "base_url": "http://127.0.0.1:1",
    "token": "t",
}


def written(folder, text):
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder, text):
    with pytest.raises(SpecError) as caught:
        load_adapter(written(folder, text))
    return [str(it).partition("mine.toml")[2] for it in caught.value.findings]


def test_values_stand_for_their_names(tmp_path):
    adapter = load_adapter(written(tmp_path, WHOLE))
    assert adapter.words(VALUES) == ("mine", "--model", "m-1", "Write {model} into a file.")
    assert adapter.variables(VALUES) == {"MINE_URL": "http://127.0.0.1:1/v1", "MINE_KEY": "t"}


def test_other_braces_are_text(tmp_path):
    ((path, text),) = load_adapter(written(tmp_path, WHOLE)).laid_files(VALUES)
    assert path == ".mine/config.json"
    assert json.loads(text) == {"key": "t", "keep": {"braces": "{other}"}}


def test_an_effort_adds_its_words(tmp_path):
    adapter = load_adapter(written(tmp_path, WHOLE))
    assert adapter.has_effort
    assert adapter.words(VALUES | {"effort": "high"})[-1] == "--effort=high"


def test_a_command_without_the_prompt_reads_it_from_stdin():
    assert AgentAdapter(name="a", argv=("a", "-")).reads_stdin
    assert not AgentAdapter(name="a", argv=("a", "-p={prompt}")).reads_stdin


def test_logs_are_below_the_home(tmp_path):
    assert load_adapter(written(tmp_path, WHOLE)).logs == (".mine/**", "stdout")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('wire = "chat"', 'wire = "smoke"', ":5:1: wire"),
        ("[env]", "[evn]", ":9:1: unknown field 'evn'"),
        ('53 = "budget"', '53 = "solved"', ":17:1: "),
        ('53 = "budget"', '530 = "budget"', ":16:1: "),
        ("~/.mine/config.json", "/etc/passwd", ":13:1: "),
        ("~/.mine/**", "../other/**", ":6:1: "),
        ("MINE_URL", '"MINE URL"', ":9:1: "),
        ('name = "mine"', 'name = "My Agent"', ":2:1: name"),
        ('argv = ["mine", "--model", "{model}", "{prompt}"]', "argv = []", ":3:1: argv"),
    ],
)
def test_a_fault_has_its_line(tmp_path, old, new, fault):
    (found,) = refused(tmp_path, WHOLE.replace(old, new))
    assert found.startswith(fault), found


def test_all_faults_come_together(tmp_path):
    assert len(refused(tmp_path, 'name = "a"\nargv = 3\nwire = "smoke"\n')) == 2


def test_what_is_no_toml_has_its_place(tmp_path):
    (found,) = refused(tmp_path, 'name = "a"\nargv = [\n')
    assert "no valid TOML" in found


def test_a_valid_file_fits_the_schema(tmp_path):
    adapter = load_adapter(written(tmp_path, WHOLE))
    jsonschema.validate(adapter.model_dump(mode="json"), adapter_schema())


def test_the_command_prints_the_schema():
    argv = [sys.executable, "-m", "benchmaker", "schema", "agent"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert json.loads(said) == adapter_schema()


@pytest.mark.parametrize("name", ["My Agent", "", "-a", "a" * 61])
def test_an_invalid_name_is_refused_in_words(tmp_path, name):
    file = tmp_path / "own.toml"
    file.write_text(f'name = "{name}"\nargv = ["true"]\n')
    with pytest.raises(SpecError, match="is not a valid name: use up to 60 lower-case letters"):
        load_adapter(file)
