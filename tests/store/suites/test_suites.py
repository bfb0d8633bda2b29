from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import Conflict, SpecError, StoreError
from benchmaker.spec import Case, Message, Parameters, Policies, ScorerSpec, Suite
from benchmaker.spec.suites.load import load_suite
from benchmaker.store import Store
from benchmaker.store.suites.case_blocks import case_blocks
from benchmaker.store.suites.suites import PAGE
from tests.store.filled import a_suite

words = st.text(min_size=1, max_size=8)
cases = st.builds(
    Case,
    id=words,
    prompt=st.text(max_size=20),
    expected=st.none() | st.text(max_size=8),
    scorer=st.none() | st.builds(ScorerSpec, id=words, tolerance=st.floats(0, 1)),
    weight=st.floats(0, 1e6),
    category=st.none() | words,
    tags=st.lists(words, max_size=2).map(tuple),
    group=st.none() | words,
    metadata=st.dictionaries(words, st.none() | st.integers(0, 9) | words, max_size=2),
)
suites = st.builds(
    Suite,
    name=words,
    cases=st.lists(cases, max_size=4).map(tuple),
    description=words,
    system_prompt=st.none() | words,
    judge_prompt=st.none() | words,
    profile=st.sampled_from(["classic", "robust"]),
    scorer=st.none() | st.builds(ScorerSpec, id=words, extract=words),
    parameters=st.builds(Parameters, temperature=st.floats(0, 2)),
    policies=st.builds(Policies, empty=st.sampled_from(["zero", "leave_out"])),
    source=st.none() | words,
)


@pytest.mark.postgresql("no other test has its statements")
def test_a_suite_of_plain_cases_is_the_same_suite(store):
    suite, plain = a_suite(), [case.model_dump() for case in a_suite().cases]
    content = store.put_case_blocks(a_suite(), case_blocks(a_suite(), plain))
    assert content == suite.content_hash == store.put_suite(suite)
    assert store.put_case_blocks(a_suite(), case_blocks(a_suite(), plain)) == content
    assert tuple(store.suite(content).cases) == tuple(suite.cases)
    assert [one.cases for one in store.find_suites()] == [len(plain)]


def test_a_suite_whose_cases_cannot_be_stored_leaves_nothing(store):
    plain = [case.model_dump() for case in a_suite().cases]
    odd = case_blocks(a_suite(), [*plain, {**plain[0], "id": "\ud800"}])
    with pytest.raises(SpecError, match="surrogate"):
        store.put_case_blocks(a_suite(), odd)
    assert store.find_suites() == ()


@pytest.mark.postgresql("no other test has its statements")
@settings(max_examples=40, deadline=None)
@given(suite=suites)
def test_a_suite_comes_back_as_it_was(lasting_store: Store, suite):
    back = lasting_store.suite(lasting_store.put_suite(suite))
    assert back.content_hash == suite.content_hash
    assert tuple(back.cases) == suite.cases
    assert back.header() == suite.header()


def test_a_suite_is_stored_once(store):
    assert store.put_suite(a_suite()) == store.put_suite(a_suite()) == a_suite().content_hash
    assert [(found.name, found.cases) for found in store.find_suites()] == [("a suite", 3)]


@pytest.mark.postgresql("locks")
def test_of_editors_at_one_moment_only_the_first_finds_the_version_it_read(address):
    with Store.open(address) as store:
        base = store.put_suite(a_suite())
    editors = 4
    start = Barrier(editors)

    def edit(number: int) -> bool:
        with Store.open(address) as store:
            start.wait(60)
            with store.one_editor():
                if len(store.find_suites()) > 1:
                    return False
                store.put_suite(replace(store.suite(base), description=f"editor {number}"))
                return True

    with ThreadPoolExecutor(editors) as pool:
        assert sorted(pool.map(edit, range(editors))) == [False, False, False, True]


def test_what_was_kept_of_a_file_in_memory_is_let_go(store, tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "prompt": "1 + 1?"}\n')
    suite = load_suite(path)
    assert suite.cases.kept
    store.put_suite(suite)
    assert not suite.cases.kept
    assert list(suite) == list(store.suite(suite.content_hash))


def test_suites_are_listed_newest_first(store):
    for name in ("first", "second"):
        store.put_suite(a_suite(name=name, source=f"{name}.yaml"))
    assert [found.name for found in store.find_suites()] == ["second", "first"]
    assert store.find_suites()[0].source == "second.yaml"


def test_cases_are_read_anew_at_each_pass_and_over_pages(store):
    suite = a_suite(PAGE + 3)
    back = store.suite(store.put_suite(suite))
    assert len(back.cases) == PAGE + 3
    assert list(back.cases) == list(back.cases) == list(suite.cases)


def test_a_stored_suite_hashes_to_its_name(store):
    back = store.suite(store.put_suite(a_suite()))
    assert replace(back).content_hash == a_suite().content_hash


@pytest.mark.postgresql("no other test has its statements")
def test_a_case_is_found_by_its_place(store):
    content = store.put_suite(a_suite())
    assert store.case(content, 1).id == "case-1"
    with pytest.raises(StoreError, match="no case at position 3"):
        store.case(content, 3)


def test_conversations_are_kept(store):
    turns = (Message(role="system", content="Be brief."), Message(role="user", content="Hi\x00"))
    suite = a_suite(cases=(Case(id="talk", messages=turns),))
    assert next(iter(store.suite(store.put_suite(suite)).cases)).messages == turns


def test_a_suite_that_is_not_there_is_named(store):
    with pytest.raises(StoreError, match="no suite 'abc'"):
        store.suite("abc")


class Changing:
    """A file that is written to between two readings."""

    def __init__(self):
        self.passes = 0

    def __iter__(self):
        self.passes += 1
        yield Case(id=f"case-{self.passes}", prompt="What?")


def test_a_suite_that_changes_while_it_is_read_is_refused_whole(store):
    with pytest.raises(Conflict, match="changed during"):
        store.put_suite(Suite(name="a suite", cases=Changing()))
    assert store.find_suites() == ()
    assert store.check().counts["suite_cases"] == 0
