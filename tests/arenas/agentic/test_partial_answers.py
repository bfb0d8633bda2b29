"""An answer counts once with its largest usage, over all files and all imports."""

import json
import random

import pytest

from benchmaker.arenas.agentic import import_logs
from benchmaker.store.home import Home
from tests.arenas.agentic.importers.claude_rows import answer, call, prompt, usage

SEEDS = range(8)


def streamed_rows():
    """Six answers, each streamed in three rows whose output grows in the last one."""
    rows = [prompt("Go.", 0)]
    for number in range(6):
        for part, output in enumerate((8, 8, 300 + number)):
            tool = call(f"toolu_of_the_answer_{number}_{part}")
            used = usage(new=3 + number, output=output)
            name = f"msg_with_a_long_id_{number}"
            rows.append(answer(name, 10 * number + part, content=[tool], used=used))
    return rows


def write_fork(path, rows, number):
    fork = f"{number:08d}-0000-4000-8000-000000000001"
    path.write_text("".join(json.dumps(row | {"sessionId": fork}) + "\n" for row in rows))
    return path


def stored_sums(home):
    with Home.of(home).open_store() as store:
        found = list(store.submissions(with_undated=True))
    usd = sum(it.cost.usd or 0.0 for it in found)
    counts = [(it.total_tokens or 0, it.llm_calls or 0, it.tool_calls or 0) for it in found]
    return *map(sum, zip(*counts, strict=True)), pytest.approx(usd)


@pytest.mark.parametrize("seed", SEEDS)
def test_forks_cut_anywhere_and_imported_in_any_order_equal_one_whole_import(tmp_path, seed):
    draw = random.Random(seed)  # noqa: S311  it cuts and shuffles
    rows = streamed_rows()
    cuts = [len(rows), *(draw.randrange(2, len(rows)) for _ in range(3))]
    files = [write_fork(tmp_path / f"{n}.jsonl", rows[:cut], n) for n, cut in enumerate(cuts)]
    import_logs(files[0], home=tmp_path / "whole")
    draw.shuffle(files)
    for file in [*files, draw.choice(files)]:
        import_logs(file, home=tmp_path / "parts")
    assert stored_sums(tmp_path / "parts") == stored_sums(tmp_path / "whole")


def test_a_log_that_grows_after_its_fork_was_imported_adds_nothing(tmp_path):
    rows = streamed_rows()
    home = tmp_path / "home"
    for name, count in ((1, 3), (2, len(rows)), (1, len(rows)), (2, len(rows))):
        import_logs(write_fork(tmp_path / f"{name}.jsonl", rows[:count], name), home=home)
    import_logs(tmp_path / "2.jsonl", home=tmp_path / "whole")
    assert stored_sums(home) == stored_sums(tmp_path / "whole")
