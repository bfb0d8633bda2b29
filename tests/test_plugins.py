import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from benchmaker import plugins
from benchmaker.errors import PluginError, SpecError


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Make a distribution importable: modules by name, entry points by group."""
    folders = iter(range(100))

    def make(distribution: str, modules: dict[str, str], points: dict[str, dict[str, str]]) -> Path:
        site = tmp_path / f"site{next(folders)}"
        info = site / f"{distribution}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0")
        lines = [
            f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in values.items())
            for group, values in points.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(lines))
        for name, source in modules.items():
            (site / f"{name}.py").write_text(dedent(source))
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(str(site))
        return site

    yield make
    for name in [name for name in sys.modules if name.startswith("bm_fake_")]:
        del sys.modules[name]


GOOD = """
    from benchmaker.plugins import scorer

    @scorer(id="bm_fake", version="7")
    class Fake:
        '''Half marks for everything.

        More words.
        '''

        def score(self, case, trial):
            return None
"""


def test_a_bare_decorator_names_the_class_in_snake_case():
    @plugins.scorer
    class ContainsWord: ...

    assert (ContainsWord.id, ContainsWord.version, ContainsWord.kind) == (
        "contains_word",
        "1",
        "scorer",
    )


def test_a_decorator_with_arguments_sets_id_and_version():
    @plugins.provider(id="mine", version="3")
    class Whatever: ...

    assert (Whatever.id, Whatever.version, Whatever.kind) == ("mine", "3", "provider")


def test_a_frozen_slotted_dataclass_can_be_marked():
    @plugins.scorer
    @dataclass(frozen=True, slots=True)
    class Frozen:
        tolerance: float = 0.5

    assert Frozen(0.1).id == "frozen"


@pytest.mark.parametrize("name", ["id", "version", "kind"])
def test_a_field_that_would_hide_a_mark_is_refused(name):
    cls = dataclass(type("Clash", (), {"__annotations__": {name: str}, name: "x"}))
    with pytest.raises(TypeError, match=name):
        plugins.scorer(cls)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Exact", "exact"),
        ("LLMJudge", "llm_judge"),
        ("CodeJudge2", "code_judge2"),
        ("already_snake", "already_snake"),
    ],
)
def test_snake_case(name, expected):
    assert plugins.snake_case(name) == expected


@pytest.mark.parametrize("kind", plugins.KINDS)
def test_what_is_available_is_sorted_by_id_and_loads(kind):
    found = plugins.list_plugins(kind)
    assert [plugin.id for plugin in found] == sorted(plugin.id for plugin in found)
    for plugin in found:
        assert plugin.error is None
        assert plugins.load(kind, plugin.id).id == plugin.id
        assert plugins.load(kind, plugin.target) is plugins.load(kind, plugin.id)


@pytest.mark.parametrize("kind", plugins.KINDS)
def test_ids_are_those_of_what_is_available(kind):
    assert plugins.list_ids(kind) == tuple(plugin.id for plugin in plugins.list_plugins(kind))


def test_ids_are_read_without_importing_a_plugin():
    code = (
        "import sys; from benchmaker.plugins import list_ids; ids = list_ids('format');"
        "print('json' in ids, [it for it in sys.modules if it.startswith('benchmaker.report.f')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "True ['benchmaker.report.formats']"


def test_ids_hold_those_of_entry_points(install):
    install("bm_fake", {}, {"benchmaker.formats": {"bm_fake": "bm_fake_gone:Fake"}})
    assert "bm_fake" in plugins.list_ids("format")


def test_an_entry_point_without_the_mark_is_told_its_decorator(install):
    modules = {"bm_fake_bare": "class Bare: ..."}
    install("bm_fake", modules, {"benchmaker.formats": {"bare": "bm_fake_bare:Bare"}})
    found = {plugin.id: plugin for plugin in plugins.list_plugins("format")}["bare"]
    assert "not a class marked with @report_format" in found.error


def test_our_scorers_are_found_with_their_summary():
    regex = {plugin.id: plugin for plugin in plugins.list_plugins("scorer")}["regex"]
    assert regex.distribution == "benchmaker"
    assert regex.target == "benchmaker.scoring.text.regex:Regex"
    assert regex.summary.endswith(".")


def test_loading_one_of_ours_leaves_the_others_unimported():
    code = (
        "import sys; from benchmaker.plugins import load; load('scorer', 'regex');"
        "print('benchmaker.scoring.boolean' in sys.modules, 'scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.split() == ["False", "False"]


def test_an_entry_point_is_listed_and_loaded(install):
    install(
        "bm_fake", {"bm_fake_good": GOOD}, {"benchmaker.scorers": {"bm_fake": "bm_fake_good:Fake"}}
    )
    fake = {plugin.id: plugin for plugin in plugins.list_plugins("scorer")}["bm_fake"]
    assert (fake.version, fake.distribution, fake.target) == ("7", "bm_fake", "bm_fake_good:Fake")
    assert fake.summary == "Half marks for everything."
    assert plugins.load("scorer", "bm_fake").__name__ == "Fake"


def test_what_is_installed_is_looked_up_once(install):
    site = install(
        "bm_fake", {"bm_fake_good": GOOD}, {"benchmaker.scorers": {"bm_fake": "bm_fake_good:Fake"}}
    )
    first = plugins.list_plugins("scorer")
    (site / "bm_fake-1.0.dist-info" / "entry_points.txt").write_text("")
    assert plugins.list_plugins("scorer") == first


def test_an_entry_point_of_one_kind_is_not_of_the_other(install):
    install(
        "bm_fake", {"bm_fake_good": GOOD}, {"benchmaker.scorers": {"bm_fake": "bm_fake_good:Fake"}}
    )
    assert "bm_fake" not in {plugin.id for plugin in plugins.list_plugins("provider")}


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("1 / 0", "bm_fake_bad:Bad", "ZeroDivisionError"),
        ("import sys; sys.exit(3)", "bm_fake_bad:Bad", "SystemExit: 3"),
        ("import bm_fake_absent", "bm_fake_bad:Bad", "No module named 'bm_fake_absent'"),
        ("def (", "bm_fake_bad:Bad", "SyntaxError"),
        ("", "bm_fake_bad:Bad", "no attribute 'Bad'"),
        ("Bad = 3", "bm_fake_bad:Bad", "not a class or function marked with @scorer"),
        ("class Bad: ...", "bm_fake_bad:Bad", "not a class or function marked with @scorer"),
        (GOOD, "bm_fake_bad:Fake", "has the id 'bm_fake'"),
    ],
)
def test_a_broken_entry_point_is_named_and_harms_nobody(install, source, target, reason):
    install("bm_broken", {"bm_fake_bad": source}, {"benchmaker.scorers": {"bm_bad": target}})
    install(
        "bm_fake", {"bm_fake_good": GOOD}, {"benchmaker.scorers": {"bm_fake": "bm_fake_good:Fake"}}
    )
    found = {plugin.id: plugin for plugin in plugins.list_plugins("scorer")}
    assert reason in found["bm_bad"].error
    assert found["bm_bad"].distribution == "bm_broken"
    assert found["bm_fake"].error is None
    assert plugins.load("scorer", "bm_fake").id == "bm_fake"
    with pytest.raises(PluginError, match="bm_broken"):
        plugins.load("scorer", "bm_bad")


def test_an_id_of_ours_can_not_be_taken_over(install):
    source = GOOD.replace('"bm_fake"', '"regex"')
    install("bm_thief", {"bm_fake_t": source}, {"benchmaker.scorers": {"regex": "bm_fake_t:Fake"}})
    rows = [plugin for plugin in plugins.list_plugins("scorer") if plugin.id == "regex"]
    assert [row.distribution for row in rows] == ["benchmaker", "bm_thief"]
    assert rows[1].error == "the id is already used by benchmaker"
    assert plugins.load("scorer", "regex").__module__ == "benchmaker.scoring.text.regex"


def test_a_dotted_path_needs_no_registration(install):
    install("bm_path", {"bm_fake_path": "class Plain:\n    def score(self, case, trial): ..."}, {})
    cls = plugins.load("scorer", "bm_fake_path:Plain")
    assert (cls.__name__, cls.id, cls.version) == ("Plain", "bm_fake_path:Plain", "1")


def test_a_dotted_path_to_a_marked_class_keeps_its_id(install):
    install("bm_path", {"bm_fake_good": GOOD}, {})
    assert plugins.load("scorer", "bm_fake_good:Fake").id == "bm_fake"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("bm_fake_nowhere:Thing", "no module 'bm_fake_nowhere'"),
        ("bm_fake_nowhere.deep:Thing", "no module"),
        (":Thing", "no module ''"),
        (".relative:Thing", "no module '.relative'"),
        ("../../etc:Thing", "no module"),
        ("json:Thing", "no class or function 'Thing'"),
        ("json:loads", "loads must take two arguments: output and case"),
        ("json:JSONDecoder", "no method 'score'"),
    ],
)
def test_a_wrong_dotted_path_says_what_is_wrong(path, message):
    with pytest.raises(SpecError, match=message):
        plugins.load("scorer", path)


def test_a_class_of_whatever_kind_is_found_at_its_path():
    assert plugins.resolve("benchmaker.plugins:Plugin") is plugins.Plugin
    with pytest.raises(SpecError, match="has no class 'resolve'"):
        plugins.resolve("benchmaker.plugins:resolve")


@pytest.mark.parametrize("source", ["1 / 0", "import bm_fake_gone", "raise TypeError('x')"])
def test_a_dotted_path_whose_module_breaks_is_a_plugin_error(install, source):
    install("bm_path", {"bm_fake_breaks": source}, {})
    with pytest.raises(PluginError, match="bm_fake_breaks:Thing"):
        plugins.load("scorer", "bm_fake_breaks:Thing")


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(SpecError) as caught:
        plugins.load("scorer", "regexx")
    assert str(caught.value) == (
        "unknown scorer 'regexx'. Did you mean 'regex'? List them with: benchmaker plugins"
    )


def test_an_unknown_name_with_nothing_near_suggests_nothing():
    with pytest.raises(SpecError) as caught:
        plugins.load("provider", "zzzzzzzz")
    assert str(caught.value) == "unknown provider 'zzzzzzzz'. List them with: benchmaker plugins"


@pytest.mark.parametrize("name", ["", "base", "os.path", "../regex", "__init__", "régex"])
def test_a_name_that_is_no_id_is_unknown(name):
    with pytest.raises(SpecError, match="unknown scorer"):
        plugins.load("scorer", name)


def test_a_module_may_mark_several_classes_and_is_found_by_each_id():
    for name in ("contains", "ends_with", "rouge_l", "json_path"):
        assert plugins.load("scorer", name).id == name
        assert name in plugins.list_ids("scorer")


def test_an_id_in_a_module_of_another_name_is_loaded_without_the_others():
    code = (
        "import sys; from benchmaker.plugins import load; load('scorer', 'ends_with');"
        "print([it for it in ('text.exact', 'judged.llm_judge', 'checks.json_checks')"
        " if f'benchmaker.scoring.{it}' in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
