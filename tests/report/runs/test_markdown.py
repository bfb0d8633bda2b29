import io

import pytest

from benchmaker.report import write_markdown
from benchmaker.report.tables.markdown_escaping import escape_markdown


def written(summary, **options):
    stream = io.StringIO()
    write_markdown(summary, stream, **options)
    return stream.getvalue().replace("\N{MINUS SIGN}", "-")


def test_the_table_with_facts_before_and_notes_after(two_models):
    text = written(two_models[1])
    assert text.startswith(
        "# capitals\n\nSuite 7f3a91c2, profile robust/1, run r1, 2 models, 6 cases scored.\n\n"
        "| Model | Mean, 0-100 | 95% CI, cases | SD, cases | Strict | 95% CI, cases "
        "| Scored trials |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| aurora | **75.0** | [39.1, 93.3] | 41.8 | 66.7% | [30.0, 90.3] | 6 |\n"
        "| basalt | **26.7** | [7.3, 62.5] | 43.2 | 16.7% | [3.0, 56.4] | 6 |\n\n"
        "- Cost: unknown (no cost was reported).\n"
    )
    assert "±" not in text


def test_the_lowest_trials_are_listed_and_counted(two_models, a_trial):
    trials = [a_trial(at, at / 30) for at in range(30)]
    text = written(two_models[1], trials=trials)
    assert "20 trials of 30, lowest first." in text
    assert "| c0 | aurora | 0.0 | scored | Paris | Paris |" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b", r"a\|b"),
        ("[x](javascript:y)", r"\[x\](javascript:y)"),
        ("![x](https://e.org/a.png)", r"!\[x\](https:\//e.org/a.png)"),
        ("<img src=x onerror=y>", r"\<img src=x onerror=y\>"),
        ("`code` *b* _i_ ~s~ $m$ #1", r"\`code\` \*b\* \_i\_ \~s\~ \$m\$ \#1"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("hello @team", "hello &#64;&#8288;team"),
        ("www.evil.org", r"www\.evil.org"),
        ("a_model-3.1_x", "a_model-3.1_x"),
        ("back\\slash", "back\\\\slash"),
    ],
)
def test_markup_in_foreign_texts_stays_text(text, shown):
    assert escape_markdown(text) == shown


def test_hostile_answers_stay_in_their_cell(two_models, a_trial):
    text = written(two_models[1], trials=[a_trial(0, 0.0, text="a\n\n# b | c\x1b<script>")])
    row = next(line for line in text.splitlines() if line.startswith("| c0"))
    assert r"a  \# b \| c␛\<script\>" in row


def test_secrets_are_taken_out(two_models, a_trial):
    key = "ghp_" + "aB3dE6gH9jK2mN5pQ8sTaB3dE6gH9jK2mN5p"
    assert key not in written(two_models[1], trials=[a_trial(0, 0.0, text=f"x {key}")])
