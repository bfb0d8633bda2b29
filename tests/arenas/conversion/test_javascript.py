"""The JavaScript of configurations: what is understood, and what is not."""

import asyncio
import re

import pytest

from benchmaker.arenas.standard.conversion.promptfoo.javascript import (
    NotUnderstood,
    parse_expression,
)
from benchmaker.arenas.standard.conversion.promptfoo.javascript_checks import (
    AnswerView,
    check_of,
    filters_of,
)
from benchmaker.arenas.standard.conversion.promptfoo.javascript_regex import python_pattern
from benchmaker.arenas.standard.conversion.promptfoo.javascript_values import evaluate_expression
from benchmaker.scoring.checks.checks import Checks
from benchmaker.spec import CheckSpec
from benchmaker.testing import a_case, a_trial

VIEW = AnswerView(variables={"city": "Rome", "n": 3})
DECIDED = [
    ("output.length < 5", "four", True),
    ("output.length < 5", "fives", False),
    ("output.length === 0 || output.includes('x')", "x", True),
    ("!(output.includes('a') && output.includes('b'))", "a", True),
    ("!!output.includes('a')", "a", True),
    ("context.vars.city === output", "Rome", True),
    ("output === `Rome`", "Rome ", False),
    ("/^R.+e$/i.test(output)", "rome", True),
    ("JSON.parse(output).k === context.vars.n", '{"k": 3}', True),
    ("JSON.parse(output)['k'] < 4", '{"k": 3}', True),
    ("JSON.parse(output).k !== 3", "[]", True),
    ("JSON.parse(output).k !== 3", "null", False),
    ("JSON.parse(output).a.b !== 3", "{}", False),
    ("JSON.parse(output).k === 'a' || JSON.parse(output).k === 'b'", '{"k": "b"}', True),
    ("['a', 'b'].includes(JSON.parse(output).k)", '{"k": "c"}', False),
    ("Array.isArray(JSON.parse(output).k)", '{"k": []}', True),
    ("true", "anything", True),
    ("output.includes('a') && context.vars.city === 'Oslo'", "a", False),
    ("context.vars.n !== 4 && output.includes('a')", "a", True),
    ("output.includes('a') ? 0 : 1", "b", True),
]
REFUSED = [
    "output.split(' ').length > 2",
    "output",
    "output.match(/a/)",
    "return output.includes('a')",
    "const n = 1; n > 0",
    "(() => true)()",
    "output.includes('')",
    "JSON.parse(output).a === 1 || output.includes('x')",
    "!(JSON.parse(output).a > 1)",
    "output.length < context.vars.unknown",
    "fetch('http://a')",
    "output.length <",
    "a" * 30_000,
    "!" * 5_000 + "output.includes('a')",
    "((((" * 500,
]
VALUES = [
    ("{...vars, city: vars.city.trim()}", {"city": "Rome", "n": 3}),
    ("vars.n === 3 ? 'three' : 'more'", "three"),
    ("`${vars.city}: ${vars.n}`", " Rome: 3"),
    ("vars.city.replace(/o/g, '0').toUpperCase()", " R0ME"),
    ("[...['a'], 'b'].join('-')", "a-b"),
    ("JSON.stringify({a: [1, null]})", '{"a":[1,null]}'),
    ("vars.missing || 'none'", "none"),
]
PATTERNS = [
    (r"^\d+$", "42\n", False),
    (r"^\d+$", "42", True),
    (r"\d", "\u0663", False),
    (r"a.b", "a\u2028b", False),
    (r"^[^]$", "\n", True),
    (r"(?<y>\d)\k<y>", "11", True),
    (r"a\/b", "a/b", True),
    (r"[[]", "[", True),
    (r"\-", "-", True),
    (r"/x/", "/x/", True),
]


def passes(source, text):
    spec = CheckSpec(**check_of(source, VIEW))
    return asyncio.run(Checks((spec,)).score(a_case(), a_trial(text=text))).score == 1.0


def test_conditions_decide_as_in_javascript():
    found = [(source, text, passes(source, text)) for source, text, _ in DECIDED]
    assert found == DECIDED


@pytest.mark.parametrize("source", REFUSED, ids=lambda it: it[:30])
def test_a_condition_whose_meaning_is_not_sure_is_refused(source):
    with pytest.raises(NotUnderstood):
        check_of(source, VIEW)


def test_values_over_known_variables():
    known = {"vars": {"city": " Rome", "n": 3}}
    assert [(it, evaluate_expression(parse_expression(it), known)) for it, _ in VALUES] == VALUES


@pytest.mark.parametrize("source", ["vars.a.b.c", "process.env", "vars.n - 1", "vars.city.at(0)"])
def test_other_values_are_not_evaluated(source):
    with pytest.raises(NotUnderstood):
        evaluate_expression(parse_expression(source), {"vars": {"city": "Rome", "n": 3}})


def test_patterns_match_as_in_javascript():
    found = [
        (source, text, re.search(python_pattern(source), text) is not None)
        for source, text, _ in PATTERNS
    ]
    assert found == PATTERNS


def test_transforms_become_filters():
    assert filters_of("output.trim().toLowerCase()") == ["trim", "lower"]
    assert filters_of("JSON.parse(output)") == ["json"]
    assert filters_of("output.replace('a', 'b')") == [{"replace": "a", "with": "b", "count": 1}]
