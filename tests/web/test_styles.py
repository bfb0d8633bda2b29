"""Style sheets are served compact, with the rules of their files."""

from importlib.resources import files

import pytest

from benchmaker.web import static_files
from benchmaker.web.static_files import static_address
from tests.web.results_data import fetched

SHEETS = sorted(name for name in static_files._PLACES if name.endswith(".css"))
RULES = """text => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return [...sheet.cssRules].map(rule => rule.cssText);
}"""


@pytest.mark.parametrize("name", SHEETS)
def test_a_served_sheet_has_the_rules_of_its_file_in_fewer_bytes(tab, demo, name):
    package, path = static_files._PLACES[name]
    text = files(package).joinpath(path).read_text()
    status, headers, body = fetched(demo + static_address(name))
    assert status == 200
    assert headers["content-type"] == "text/css; charset=utf-8"
    tab.goto(f"{demo}/keys")
    rules = tab.evaluate(RULES, text)
    assert rules
    assert tab.evaluate(RULES, body.decode()) == rules
    assert len(body) < len(text.encode())
