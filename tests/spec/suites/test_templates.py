"""The sandbox of templates: what it renders, what it refuses, and its limits."""

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.spec.suites.templates import TemplateError, find_faults, render

DOUBLED = "{% set x = x ~ x %}" * 60


@pytest.mark.parametrize(
    ("template", "variables", "text"),
    [
        ("Hi {{ name }}", {"name": "Ann"}, "Hi Ann"),
        ("{{ yes }} {{ none }} {{ 1.5 }}", {"yes": True, "none": None}, "true  1.5"),
        ("{% for x in xs %}{{ loop.index }}{{ x }}{% endfor %}", {"xs": ["a", "b"]}, "1a2b"),
        ("{{ doc.title }} {{ doc['title'] }}", {"doc": {"title": "T"}}, "T T"),
        ("{{ xs | join(', ') }} {{ xs | length }}", {"xs": [1, 2]}, "1, 2 2"),
        ("{{ doc | tojson }}", {"doc": {"a": "<é>"}}, '{"a": "<é>"}'),
        ("{{ x ~ true }}", {"x": 1}, "1true"),
        ("{% raw %}{{ x }}{% endraw %}", {}, "{{ x }}"),
        ("{{ x is defined }}{{ x | default('d') }}", {}, "falsed"),
        ("a\n", {}, "a\n"),
    ],
)
def test_a_template_is_rendered(template, variables, text):
    assert render(template, variables) == text


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__ }}",
        "{{ x.__init__ }}",
        "{{ _limits }}",
        "{{ lipsum() }}",
        "{% include 'a' %}",
        "{% import 'a' as b %}",
        "{% extends 'a' %}",
        "{% macro m() %}{% endmacro %}",
        "{{ 'a' | nothing }}",
        "{{ 2 ** 9 }}",
        "{{ '%d' % 3 }}",
        "{{ 'a'.format(1) }}",
        "{{ 'a'.ljust(9) }}",
        "{{ x",
        "{% if %}",
        "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
        "{{ 1 // 0 }}",
    ],
)
def test_a_template_is_refused(template):
    assert find_faults(template, {"x": "v"})


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% set x = 'aaaa' %}" + DOUBLED + "{{ x }}",
        "{% set x = 'aaaa' %}" + DOUBLED.replace("~", "+") + "{{ x }}",
        "{% set x = ['a'] %}" + "{% set x = [x, x] %}" * 60 + "{{ x }}",
        "{% set x = ['a'] %}" + "{% set x = [x, x] %}" * 60 + "{{ x | tojson }}",
        "{% set x = 'a' * 900000 %}{{ x | replace('a', x) }}",
        "{% set x = 'a' * 900000 %}{{ range(999) | join(x) }}",
        "{% set x = 'a' * 900000 %}{{ x }}{{ x }}",
        "{{ 'a' * 1000000000 }}",
        "{{ range(1000000000) | list }}",
        "{% set x = 9 %}" + "{% set x = x * x %}" * 60 + "{{ x }}",
    ],
)
def test_a_template_is_bounded_in_time_and_size(template):
    begun = time.process_time()
    assert find_faults(template, {})
    assert time.process_time() - begun < 10


def test_the_place_of_an_undefined_variable():
    (fault,) = find_faults("Hello\n  {{ nme }}", {"name": 1})
    assert fault[:3] == (2, 6, "undefined variable 'nme'.")
    assert fault.hint == "Did you mean 'name'?"


def test_an_undefined_field_is_named():
    (fault,) = find_faults("{{ doc.titel }}", {"doc": {"title": 1}})
    assert fault.message == "undefined field 'titel'."
    assert fault.hint == "Did you mean 'title'?"


def test_all_undefined_variables_are_reported():
    faults = find_faults("{{ a }} {{ b }} {{ c }}", {"b": 1})
    assert [fault.column for fault in faults] == [4, 20]


def test_a_field_that_is_asked_for_is_no_fault():
    assert find_faults("{% if x is defined %}{{ x }}{% endif %}", {}) == []


@given(st.text())
def test_a_value_is_inserted_as_it_is(value):
    assert render("<{{ x }}>", {"x": value}) == f"<{value}>"


@given(st.text(alphabet="{}%#x. \n'\"|()", max_size=40))
def test_any_text_is_rendered_or_refused(template):
    with suppress(TemplateError):
        assert isinstance(render(template, {"x": 1}), str)
