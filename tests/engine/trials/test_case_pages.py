from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.trials.case_pages import CaseReader
from benchmaker.engine.trials.plan import Plan
from benchmaker.record import Selection
from benchmaker.spec import Case


class Cases:
    """Cases that count how often they are read."""

    def __init__(self, count):
        self.count = count
        self.read = 0

    def __iter__(self):
        for number in range(self.count):
            self.read += 1
            yield Case(id=f"c{number}", prompt="?")


def pages_of(cases, page=10, kept=2):
    return CaseReader(
        cases, selection=Selection(), done=lambda *_: frozenset(), page=page, kept=kept
    )


def ids(page):
    return [case.id for _, case in page.cases]


def test_readers_that_keep_together_read_once():
    cases = Cases(50)
    pages = pages_of(cases)
    for first, second in zip(pages.read(), pages.read(), strict=True):
        assert first is second

    assert cases.read == 50


@given(st.integers(0, 60), st.lists(st.integers(0, 2), max_size=60), st.integers(1, 4))
def test_every_reader_gets_every_page_in_order_at_whatever_speed(count, turns, kept):
    pages = pages_of(Cases(count), page=7, kept=kept)
    readers = [pages.read() for _ in range(3)]
    seen = [[], [], []]
    for turn in turns:
        seen[turn] += ids(page) if (page := next(readers[turn], None)) else []
    for reader, got in zip(readers, seen, strict=True):
        got.extend(name for page in reader for name in ids(page))

    assert seen == [[f"c{n}" for n in range(count)]] * 3


def test_a_reader_far_behind_reads_for_itself_once():
    cases = Cases(100)
    pages = pages_of(cases)
    late = pages.read()
    next(late)
    for _ in pages.read():
        pass
    for _ in late:
        pass

    assert cases.read == 200


def test_a_model_alone_gets_its_tasks_in_order():
    done = {("c1", "a"), ("c2", "b")}
    plan = Plan(Cases(4), ("a", "b"), selection=Selection(), done=lambda *_: done)

    assert [task.case.id for task in plan.tasks_of("a")] == ["c0", "c2", "c3"]
    assert [task.case.id for task in plan.tasks_of("b")] == ["c0", "c1", "c3"]


def test_a_dropped_model_gets_nothing_more():
    plan = Plan(Cases(4), ("a",), selection=Selection(), done=lambda *_: frozenset())
    tasks = plan.tasks_of("a")
    next(tasks)
    plan.drop("a")

    assert list(tasks) == []
