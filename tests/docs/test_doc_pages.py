from pathlib import Path

import pytest

from tests.docs.page import Page, anchor
from tests.docs.rewrite import rewritten
from tests.docs.runner import Printed, Runner, Wrong, matches


def a_page(text: str) -> Page:
    return Page(Path("page.md"), text)


def ran(text: str, folder: Path) -> Runner:
    runner = Runner(a_page(text), folder)
    runner.run()
    return runner


def test_blocks_of_a_page_share_names_and_folder(tmp_path):
    ran(
        "```jsonl file=a.jsonl\n{}\n```\n"
        "```python\nfrom pathlib import Path\nsize = Path('a.jsonl').stat().st_size\n```\n"
        "```python\nprint(size)\n```\n"
        "```text output\n3\n```\n"
        "```console\n$ cat a.jsonl\n{}\n```\n",
        tmp_path,
    )


def test_a_block_marked_first_runs_before_those_above_it(tmp_path):
    ran(
        "```console\n$ cat a.txt\nhello\n```\n"
        "```python first\nfrom pathlib import Path\nPath('a.txt').write_text('hello')\n```\n",
        tmp_path,
    )


def test_wrong_output_names_the_line_of_the_page(tmp_path):
    with pytest.raises(Wrong, match=r"page\.md:4: the page says"):
        ran("# Title\n```console\n$ echo one\ntwo\n```\n", tmp_path)


def test_a_failing_command_is_wrong(tmp_path):
    with pytest.raises(Wrong, match="exit code 3"):
        ran("```console\n$ exit 3\n```\n", tmp_path)


def test_a_declared_exit_code_is_right(tmp_path):
    ran("```console exit=3\n$ exit 3\n```\n", tmp_path)


def test_commands_may_continue_on_the_next_line(tmp_path):
    runner = ran("```console\n$ echo a \\\n    b\na b\n```\n", tmp_path)
    assert runner.printed == [Printed(4, "a b\n", "a b\n")]


def test_a_failing_python_block_is_wrong(tmp_path):
    with pytest.raises(Wrong, match="ZeroDivisionError"):
        ran("```python\n1 / 0\n```\n", tmp_path)


def test_names_live_on_from_session_to_session(tmp_path):
    ran("```pycon\n>>> a = 1\n```\n```pycon\n>>> a\n1\n```\n", tmp_path)


def test_only_the_last_command_may_fail_as_declared(tmp_path):
    with pytest.raises(Wrong, match="exit code 3"):
        ran("```console exit=3\n$ exit 3\n$ exit 3\n```\n", tmp_path)


def test_a_wrong_example_in_a_session_is_wrong(tmp_path):
    with pytest.raises(Wrong, match="Expected"):
        ran("```pycon\n>>> 1 + 1\n3\n```\n", tmp_path)


@pytest.mark.parametrize("language", ["yaml", "json", "jsonl", "toml"])
def test_data_that_does_not_parse_is_wrong(language, tmp_path):
    with pytest.raises(Wrong):
        ran(f"```{language}\n{{: [\n```\n", tmp_path)


def test_a_language_that_nobody_runs_is_wrong(tmp_path):
    with pytest.raises(Wrong, match="nobody runs 'cobol'"):
        ran("```cobol\nSTOP RUN.\n```\n", tmp_path)


def test_a_target_that_the_makefile_lacks_is_wrong(tmp_path):
    with pytest.raises(Wrong, match="no target 'lunch'"):
        ran("```make\nmake lunch\n```\n", tmp_path)


def test_a_block_that_is_never_closed_is_found():
    with pytest.raises(ValueError, match="never closed"):
        _ = a_page("```python\n").blocks


@pytest.mark.parametrize(
    ("written", "got", "same"),
    [
        ("run … done", "run 20261120-abc done", True),
        ("run … done", "run a\ndone", False),
        ("a\n…\nz", "a\nb\nc\nz", True),
        ("a\n…\nz", "a\nz", True),
        ("a", "a   \n", True),
        ("a", "b", False),
        ("a.c", "abc", False),
    ],
)
def test_the_wildcard_stands_for_anything_in_a_line_or_for_lines(written, got, same):
    assert matches(written, got) is same


def test_rewriting_keeps_what_still_holds_and_masks_what_changes():
    text = "```console\n$ a\nrun …\n$ b\nold\n```\n"
    printed = [
        Printed(3, "run …\n", "run 20261120-abcdef\n"),
        Printed(5, "old\n", "run 20261120-abcdef in 0.31 s\nnew\n"),
    ]
    assert rewritten(text, printed) == "```console\n$ a\nrun …\n$ b\nrun … in …\nnew\n```\n"


def test_rewriting_shortens_what_changes_and_keeps_what_follows_the_legend():
    text = "```console\n$ a\nold\n```\n"
    got = (
        "1 of 6 trials · 2 s left\n6 of 6 trials · 0 s left\n"
        "Mean: 0 to 100, weighted.\nSettings: seed not sent,\nBenchmaker 0.1.0.\n"
        "a was stopped early\n"
    )
    assert rewritten(text, [Printed(3, "old\n", got)]) == (
        "```console\n$ a\n…\na was stopped early\n```\n"
    )


def test_the_front_line_names_markers():
    assert a_page("<!-- runs with: data long -->\n# A").marks == ("data", "long")


def test_anchors_follow_github():
    assert anchor("`--home` PATH") == "--home-path"
    assert a_page("# A b\n## A b\n").anchors == {"a-b", "a-b-1"}


def test_links_in_code_are_not_links():
    assert a_page("[a](b.md) `[c](d.md)`\n```text\n[e](f.md)\n```\n").links == ["b.md"]
