"""Which tests a change can break."""

import pytest

from tests import test_house
from tests.running.changed import ROOT, changed_files, examples, is_test, said, within
from tests.running.graph import Graph

FILES = {
    "src/benchmaker/__init__.py": "_HOMES = {'benchmaker.stats': ('mean',)}\n"
    "from benchmaker.stats import mean\n",
    "src/benchmaker/stats/__init__.py": "from benchmaker.stats.means import mean\n"
    "from benchmaker.stats.power import cases\n",
    "src/benchmaker/stats/means.py": "def mean(): ...\n",
    "src/benchmaker/stats/power.py": "from benchmaker.stats.means import mean\n",
    "src/benchmaker/cli/commands/rank_all.py": "PLUGIN = 'benchmaker.stats.power:cases'\n",
    "src/benchmaker/plugins.py": 'SEARCHED = "benchmaker.readers"\n',
    "src/benchmaker/readers/__init__.py": "",
    "src/benchmaker/readers/pi.py": "def read(): ...\n",
    "tests/readers/test_pi.py": "from benchmaker.readers.pi import read\n",
    "tests/test_plugins.py": "from benchmaker.plugins import SEARCHED\n",
    "src/benchmaker/web/pages.py": "ROUTE = '/results/{id}'\nTEMPLATE = 'page.html'\n",
    "src/benchmaker/web/page.html": "{% include 'part.html' %}",
    "src/benchmaker/web/part.html": "",
    "tests/conftest.py": "import json\n",
    "tests/stats/test_means.py": "from benchmaker.stats import mean\n",
    "tests/stats/test_power.py": "import benchmaker\nbenchmaker.cases\n",
    "tests/cli/test_ranking.py": "def test(cli): cli('rank-all', 'x')\n",
    "tests/web/test_pages.py": "def test(get): get('/results/7')\n",
    "docs/rank.md": "Type `benchmaker rank-all`.\n",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory) -> Graph:
    root = tmp_path_factory.mktemp("repository")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return Graph(root, FILES)


def reached(graph: Graph, *changed: str) -> dict[str, float]:
    return {path: far for path, far in graph.distances(changed).items() if is_test(path)}


def test_a_name_of_a_package_leads_to_its_module_alone(graph):
    assert reached(graph, "src/benchmaker/stats/power.py") == {
        "tests/cli/test_ranking.py": 3.0,
        "docs/rank.md": 3.0,
    }


def test_a_package_that_is_searched_for_plugins_leads_to_its_modules(graph):
    assert reached(graph, "src/benchmaker/readers/pi.py") == {
        "tests/readers/test_pi.py": 1.0,
        "tests/test_plugins.py": 2.5,
    }


def test_what_imports_what_changed_is_nearer_than_what_imports_that(graph):
    found = reached(graph, "src/benchmaker/stats/means.py")
    assert found["tests/stats/test_means.py"] == 1.0
    assert found["tests/cli/test_ranking.py"] == 4.0


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("src/benchmaker/web/pages.py", "tests/web/test_pages.py"),
        ("src/benchmaker/web/part.html", "tests/web/test_pages.py"),
        ("src/benchmaker/cli/commands/rank_all.py", "docs/rank.md"),
        ("tests/conftest.py", "tests/stats/test_power.py"),
        ("tests/stats/test_power.py", "tests/stats/test_power.py"),
    ],
)
def test_addresses_commands_templates_and_conftests_are_followed(graph, changed, test):
    assert test in reached(graph, changed)


def test_the_time_is_kept_and_the_rest_is_named(monkeypatch):
    monkeypatch.setattr(
        "tests.running.changed.written", lambda: {"quick": {"b.py": [120, 9], "c.py": [100, 9]}}
    )
    chosen = within([(0.0, "c.py"), (1.0, "a.py"), (1.0, "b.py")], 100, unreached=7)
    assert (chosen.run, chosen.left_out) == (("c.py", "a.py"), ("b.py",))
    assert "Left out: 1 that are further away, 7 that" in said(["x"], chosen)


def test_the_examples_in_docstrings_of_what_changed_are_run_by_their_test():
    changed = [
        "src/benchmaker/cli/options/numbers.py",
        "src/benchmaker/gone.py",
        "tests/test_house.py",
    ]
    name = "benchmaker.cli.options.numbers"
    test = test_house.test_every_example_in_a_docstring_is_true.__name__
    assert examples(changed) == [f"tests/test_house.py::{test}[{name}]"]
    assert name in test_house.modules_with_examples()


def test_every_module_of_the_product_is_reached_by_a_test():
    files = [str(path.relative_to(ROOT)) for path in (ROOT / "src/benchmaker").rglob("*.py")]
    tests = [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("*.py")]
    needs = Graph(ROOT, [*files, *tests]).needs
    found, queue = set(), [path for path in tests if is_test(path)]
    while queue:
        path = queue.pop()
        if path not in found:
            found.add(path)
            queue += list(needs.get(path, ()))
    assert [path for path in files if path not in found and is_code(path)] == []


def is_code(path: str) -> bool:
    """Packages only pass names on, and what tasks are made of is data."""
    return "/resources/" not in path and not path.endswith("/__init__.py")


def test_files_that_differ_are_found():
    assert changed_files("HEAD") is not None
