FAULTY = """\
name: faulty
scorer: exat
cases:
  - id: a
    promt: What?
    expected: x
  - id: a
    prompt: What?
    expected: x
    weight: -1
"""


def test_every_error_comes_at_once_with_its_place(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(FAULTY)
    said = cli("validate", suite, code=2)
    assert "suite.yaml:5:5: " in said.stderr
    assert "suite.yaml:10:" in said.stderr
    assert "'prompt'" in said.stderr
    assert said.stdout == ""


def test_json_has_the_findings_of_every_file(cli, started, tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text(FAULTY)
    files = cli("validate", started / "suite.yaml", bad, "--json", code=2).data["files"]
    assert [file["ok"] for file in files] == [True, False]
    assert {"file", "line", "column", "message", "hint"} == set(files[1]["findings"][0])


def test_a_good_suite_is_summed_up(cli, started):
    said = cli("validate", started / "suite.yaml").stdout
    assert "6 cases, total weight 7, robust" in said
    assert "numeric 2" in said
    assert "content hash: " in said


def test_a_suite_with_dimensions_has_its_setups_counted(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "{name: s, models: [a, b], efforts: [low, high], scorer: exact,\n"
        " prompts: [{id: x, prompt: '{{ n }}?'}, {id: y, prompt: '{{ n }}!'}],\n"
        " cases: [{id: c, vars: {n: 1}, expected: 1}]}\n"
    )
    said = cli("validate", suite).stdout
    assert "2 prompts × 2 models × 2 efforts = 8 setups, 1 case\n" in said
    found = cli("validate", suite, "--json").data["files"][0]["dimensions"]
    assert found == {"prompts": 2, "models": 2, "efforts": 2, "setups": 8}


def test_a_suite_without_dimensions_counts_no_setups(cli, started):
    assert "setups" not in cli("validate", started / "suite.yaml").stdout


def test_the_profile_can_be_given(cli, started):
    report = cli("validate", started / "suite.yaml", "--profile", "classic", "--json").data
    assert report["files"][0]["profile"] == "classic"


def test_an_unknown_profile_is_refused(cli, started):
    said = cli("validate", started / "suite.yaml", "--profile", "clasic", code=2)
    assert "clasic" in said.stderr


def test_a_missing_file_is_told(cli, tmp_path):
    assert "none.yaml" in cli("validate", tmp_path / "none.yaml", code=2).stderr


def test_the_schema_is_json(cli):
    assert cli("schema").data["type"] == "object"


def test_notes_are_told_and_are_no_error(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "name: n\nprofile: classic\nscorer: {id: exact, extract: boxed}\n"
        "cases: [{id: a, prompt: x, expected: y}]\n"
    )
    said = cli("validate", suite).stdout
    assert "note: " in said
    assert "extract has no effect" in said


def test_a_prompt_file_with_a_line_of_dashes_is_noted_at_that_line(cli, tmp_path):
    (tmp_path / "two.txt").write_text("Say {{ q }}.\n---\nShout {{ q }}!\n", encoding="utf-8")
    (tmp_path / "one.txt").write_text("Say {{ q }} --- now.\n", encoding="utf-8")
    suite = tmp_path / "s.yaml"
    suite.write_text(
        "name: s\nscorer: exact\n"
        'prompts: [{file: one.txt}, {file: two.txt}, {id: own, prompt: "A\\n---\\nB {{ q }}"}]\n'
        "cases: [{id: a, vars: {q: x}, expected: x}]\n",
        encoding="utf-8",
    )
    ((note,),) = [one["notes"] for one in cli("validate", suite, "--json").data["files"]]
    assert (note["file"], note["line"]) == (str(tmp_path / "two.txt"), 2)
    assert note["message"] == "the line '---' is part of the prompt."
    assert "promptfoo" in note["hint"]


def test_notes_stand_in_the_json_too(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "scorer: {id: exact, extract: boxed}\ncases: [{id: a, prompt: x, expected: y}]\n"
    )
    (report,) = cli("validate", suite, "--json").data["files"]
    (note,) = report["notes"]
    assert (note["line"], note["column"]) == (1, 30)
    assert (report["ok"], report["findings"]) == (True, [])


JUDGED = "name: n\nscorer: llm_judge\ncases:\n  - {id: a, prompt: Write a line.}\n"


def test_a_scorer_without_its_judge_is_an_error(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(JUDGED)
    said = cli("validate", suite, code=2).stderr
    assert "suite.yaml:2:9: llm_judge needs a judge, but none is given." in said
    assert "suite.yaml: ok" in cli("validate", suite, "--judge", "openai/gpt-4o").stdout
    suite.write_text(f"judge: openai/gpt-4o\n{JUDGED}")
    assert "suite.yaml: ok" in cli("validate", suite).stdout


def test_a_prompt_without_a_word_is_an_error(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text('scorer: exact\ncases:\n  - {id: a, prompt: " ", expected: x}\n')
    assert "suite.yaml:3:21: the prompt is empty." in cli("validate", suite, code=2).stderr


def test_exact_without_an_expected_text_is_an_error_unless_that_is_meant(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text("scorer: exact\ncases:\n  - {id: a, prompt: x}\n")
    assert "auto_pass: true" in cli("validate", suite, code=2).stderr
    suite.write_text("scorer: {id: exact, auto_pass: true}\ncases:\n  - {id: a, prompt: x}\n")
    assert "suite.yaml: ok" in cli("validate", suite).stdout


def test_pages_without_a_judge_are_noted_and_are_no_error(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text("name: s\nscorer: code_judge\ncases: [{id: a, prompt: A page.}]\n")
    said = cli("validate", suite).stdout
    assert "no judge is named, so pages are scored by their checks alone." in " ".join(said.split())
    assert "note" not in cli("validate", suite, "--judge", "openai/gpt-4o").stdout
