import importlib
import inspect
import re
import subprocess
import sys

import pytest

import benchmaker

PACKAGES = (
    "benchmaker",
    "benchmaker.analysis",
    "benchmaker.arenas.agentic",
    "benchmaker.arenas.standard",
    "benchmaker.judging",
    "benchmaker.record",
    "benchmaker.spec",
    "benchmaker.stats",
    "benchmaker.stats.agreement",
    "benchmaker.stats.ratings",
    "benchmaker.store",
)
DOCUMENTED = {
    "AnswerFields",
    "BenchmakerError",
    "Case",
    "Parameters",
    "RunResult",
    "Score",
    "ScorerSpec",
    "ScoringResult",
    "SpecError",
    "Suite",
    "aggregate_scores",
    "arun",
    "compare",
    "compare_models",
    "detailed_aggregate_scores",
    "effective_parameters",
    "export",
    "interpret_effect",
    "load_suite",
    "multi_run_stats",
    "power",
    "rank",
    "rescore",
    "results",
    "resume",
    "run",
    "score",
    "scorer",
    "trend",
}


def constants_then_classes(name):
    return not name.isupper(), not name[0].isupper(), name


@pytest.mark.parametrize("name", PACKAGES)
def test_public_names_are_sorted_and_exist(name):
    package = importlib.import_module(name)

    assert package.__all__ == sorted(package.__all__, key=constants_then_classes)
    for public in package.__all__:
        assert getattr(package, public) is not None


def test_the_documented_names_are_public():
    assert set(benchmaker.__all__) >= DOCUMENTED


@pytest.mark.parametrize("name", benchmaker.__all__)
def test_every_public_name_says_what_it_is(name):
    value = getattr(benchmaker, name)

    assert name == "__version__" or inspect.getdoc(value)


def test_type_checkers_see_the_names_that_exist_at_run_time():
    text = inspect.getsource(benchmaker)
    block = text[text.index("if TYPE_CHECKING:") : text.index("_HOMES")]

    for name in set(benchmaker.__all__) - {"__version__"}:
        assert re.search(rf"\b{name}\b", block), name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'rum'"):
        _ = benchmaker.rum


def test_listing_the_names_loads_nothing():
    assert dir(benchmaker) == benchmaker.__all__


def modules_after(code):
    words = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules, sep='\\n')"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


def test_importing_it_is_light():
    loaded = modules_after("import benchmaker")

    assert len(loaded) <= 250
    assert not {"numpy", "scipy", "sqlalchemy", "pydantic", "rich", "click"} & set(loaded)


def test_loading_a_suite_loads_neither_numbers_nor_databases():
    loaded = modules_after("import benchmaker; benchmaker.load_suite, benchmaker.Suite")

    assert not {"numpy", "scipy", "sqlalchemy", "rich", "click"} & set(loaded)
