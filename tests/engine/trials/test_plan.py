from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.trials.plan import Plan, select_cases
from benchmaker.record import Selection
from benchmaker.spec import Case


def cases(count):
    return [
        Case(id=f"c{n}", prompt="?", category="even" if n % 2 == 0 else "odd", tags=(f"t{n % 3}",))
        for n in range(count)
    ]


def a_plan(of, models=("a", "b"), *, selection=None, done=frozenset(), page=500, asked=None):
    def looked_up(first, last):
        if asked is not None:
            asked.append((first, last))
        return done

    return Plan(of, models, selection=selection or Selection(), done=looked_up, page=page)


def everything(plan, batch=7):
    tasks = []
    while taken := plan.take(batch):
        tasks += taken
    return tasks


def keys(tasks):
    return [(task.case.id, task.model) for task in tasks]


@given(
    st.integers(0, 40),
    st.integers(1, 4),
    st.integers(1, 9),
    st.integers(1, 9),
    st.sets(st.tuples(st.integers(0, 40), st.integers(0, 3))),
)
def test_every_missing_trial_is_handed_out_once_in_order(number, models, page, batch, rows):
    names = [f"m{n}" for n in range(models)]
    done = {(f"c{case}", f"m{model}") for case, model in rows}
    every = [(case.id, name) for case in cases(number) for name in names]

    tasks = everything(a_plan(cases(number), names, done=done, page=page), batch)

    assert keys(tasks) == [key for key in every if key not in done]


@given(st.integers(0, 30), st.integers(1, 3), st.none() | st.integers(0, 40))
def test_the_count_is_what_a_fresh_plan_hands_out(number, models, limit):
    plan = a_plan(
        cases(number),
        [f"m{n}" for n in range(models)],
        selection=Selection(limit=limit, categories=("odd",)),
    )

    assert plan.count() == len(everything(plan))


def test_models_interleave():
    tasks = a_plan(cases(2), ("slow", "fast")).take(4)

    assert [task.model for task in tasks] == ["slow", "fast", "slow", "fast"]


def test_positions_are_those_of_the_whole_suite():
    chosen = select_cases(cases(6), Selection(categories=("odd",)))

    assert [position for position, _ in chosen] == [1, 3, 5]


def test_the_limit_counts_the_cases_that_pass_the_filters():
    chosen = select_cases(cases(10), Selection(categories=("odd",), limit=2))

    assert [case.id for _, case in chosen] == ["c1", "c3"]


def test_a_case_passes_with_one_of_its_tags():
    chosen = select_cases(cases(6), Selection(tags=("t0", "t9")))

    assert [case.id for _, case in chosen] == ["c0", "c3"]


def test_the_store_is_asked_once_a_page():
    asked = []
    everything(a_plan(cases(5), page=2, asked=asked))

    assert asked == [(0, 1), (2, 3), (4, 4)]


def test_nothing_is_read_ahead_of_the_page():
    read = []

    def watched():
        for case in cases(1000):
            read.append(case.id)
            yield case

    plan = a_plan(watched(), page=10)
    plan.take(1)

    assert len(read) == 10


def test_a_dropped_model_is_not_handed_out_again():
    plan = a_plan(cases(3))
    first = plan.take(1)
    plan.drop("a")

    assert keys(first + everything(plan)) == [("c0", "a"), ("c0", "b"), ("c1", "b"), ("c2", "b")]
