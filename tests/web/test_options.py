"""The choices of a select: drawn once for a list."""

from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from benchmaker.web.filters import FILTERS
from benchmaker.web.rendering import options

NAMES = st.lists(st.text(st.characters(codec="utf-8"), max_size=8), max_size=6, unique=True)
ONE_BY_ONE = (
    '{% for it in names %}<option value="{{ it }}"{% if it == chosen %} selected{% endif %}>'
    '{{ it|line|replace("_", "-") if plain else it|line }}</option>{% endfor %}'
)


@given(names=NAMES, chosen=st.none() | st.text(max_size=3), plain=st.booleans())
def test_options_are_those_that_a_template_would_write_one_by_one(names, chosen, plain):
    environment = Environment(autoescape=True)
    environment.filters.update(FILTERS)
    written = environment.from_string(ONE_BY_ONE)
    for one in [chosen, *names]:
        expected = written.render(names=names, chosen=one, plain=plain)

        assert options(names, one, plain=plain) == expected


def test_markup_in_a_name_stays_text():
    assert options(['"><b>']) == '<option value="&#34;&gt;&lt;b&gt;">&#34;&gt;&lt;b&gt;</option>'
