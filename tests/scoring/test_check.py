# ruff: noqa: E501  faults stand on one line, as people see them

import dataclasses
import json

import pytest

from benchmaker.errors import SpecError
from benchmaker.record import Score
from benchmaker.scoring.build import build
from benchmaker.scoring.check import check_suite, load_checked
from benchmaker.scoring.suite_notes import notes_on
from benchmaker.spec import Case, CaseFields, ScorerSpec, Suite, profile
from benchmaker.testing import a_case, a_trial


@pytest.fixture
def faults(tmp_path):
    """What is wrong with a suite of this content, folder names left out."""

    def of(content: str, name: str = "suite.yaml", **options) -> list[str]:
        path = tmp_path / name
        path.write_text(content)
        try:
            load_checked(path, **options)
        except SpecError as exc:
            return str(exc).replace(f"{tmp_path}/", "").splitlines()
        return []

    return of


def test_a_sound_suite_is_loaded(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("scorer: exact\ncases: [{id: a, prompt: x, expected: y}]\n")
    suite = load_checked(path, profile="robust")
    assert (suite.profile, [case.id for case in suite]) == ("robust", ["a"])
    assert check_suite(suite) == []


def test_form_and_scorers_come_in_one_error_with_their_places(faults):
    found = faults(
        "profile: robst\n"
        "scorer: {id: numeric, tolerence: 0.1, curve: smooth}\n"
        "cases:\n"
        "  - {id: a, promt: x, expected: 3}\n"
        "  - {id: b, prompt: x, expected: 3, scorer: exat}\n"
        "  - {id: c, prompt: x, expected: '(', scorer: regex}\n"
        "  - {id: d, prompt: x, scorer: {id: regex, pattern: '[a'}}\n"
        "  - {id: e, prompt: x, expected: many, scorer: numeric}\n"
    )
    starts = [
        "suite.yaml:1:10: unknown profile 'robst'. Did you mean 'robust'?",
        "suite.yaml:2:23: unknown parameter 'tolerence'. Did you mean 'tolerance'?",
        "suite.yaml:2:46: curve must be 'published', 'continuous' or 'step', not 'smooth'.",
        "suite.yaml:4:13: unknown field 'promt'. Did you mean 'prompt'?",
        "suite.yaml:5:45: unknown scorer 'exat'. Did you mean 'exact'? List them with: benchmaker plugins",
        "suite.yaml:6:34: invalid regular expression '('",
        "suite.yaml:7:53: invalid regular expression '[a'",
        "suite.yaml:8:34: numeric needs an expected number, but 'many' has no readable number",
    ]
    assert len(found) == len(starts)
    for line, start in zip(found, starts, strict=True):
        assert line.startswith(start)


def test_a_parameter_fault_stands_at_the_parameter(faults):
    (found,) = faults(
        "scorer: {id: numeric, tolerance: -1}\ncases: [{id: a, prompt: x, expected: 1}]\n"
    )
    assert found.startswith("suite.yaml:1:34: tolerance must be at least 0, not -1")


def test_the_same_bad_scorer_is_told_at_each_case_that_names_it(faults):
    found = faults(
        "cases:\n" + "".join(f"  - {{id: {i}, prompt: x, scorer: exat}}\n" for i in range(3))
    )
    assert [line.split(": ")[0] for line in found] == [f"suite.yaml:{i}:32" for i in (2, 3, 4)]


def test_a_missing_scorer_is_told_once(faults):
    cases = "".join(f"  - {{id: {i}, prompt: x}}\n" for i in range(9))
    assert faults("cases:\n" + cases) == [
        "suite.yaml:2:5: case '0' has no scorer. Set scorer: for the suite or for the case."
    ]


def test_a_refused_scorer_is_not_reported_missing_as_well(faults):
    (found,) = faults("scorer: 5\ncases: [{id: a, prompt: x}]\n")
    assert "scorer must be a mapping" in found


def test_scorers_of_a_data_file_stand_at_their_lines_or_at_the_defaults(tmp_path, faults):
    rows = [{"id": str(i), "prompt": "x", "expected": "1"} for i in range(5)]
    rows[1]["scorer"] = rows[3]["scorer"] = "exat"
    rows[4]["scorer"] = {"id": "numeric", "tolerence": 1}
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = faults("cases:\n  file: q.jsonl\n  defaults: {scorer: {id: numeric, curve: x}}\n")
    assert [line.split(": ")[0] for line in found] == [
        "q.jsonl:2:55",
        "q.jsonl:4:55",
        "q.jsonl:5:73",
        "suite.yaml:3:43",
    ]


def test_expected_values_of_a_data_file_are_checked_line_by_line(tmp_path, faults):
    (tmp_path / "q.jsonl").write_text(
        '{"k": 1, "q": "x", "gold": "18"}\n{"k": 2, "q": "x", "gold": "none"}\n{"k": 3, "q": "x", "gold": null}\n'
    )
    found = faults(
        "scorer: numeric\ncases:\n  file: q.jsonl\n  fields: {id: k, prompt: q, expected: gold}\n"
    )
    assert [line.split(": ")[0] for line in found] == ["q.jsonl:2:28", "q.jsonl:3:28"]


def test_a_data_file_alone_takes_fields_and_defaults(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"k": 1, "prompt": "x", "expected": 5}\n')
    suite = load_checked(path, fields=CaseFields(id="k"), defaults={"scorer": "numeric"})
    assert [case.scorer.id for case in suite] == ["numeric"]
    with pytest.raises(SpecError, match="case '1' has no scorer"):
        load_checked(path, fields=CaseFields(id="k"))


CASES = (Case(id="a", prompt="x", expected="1"), Case(id="b", prompt="y", expected="2"))
EXACT = ScorerSpec(id="exact")


@pytest.mark.parametrize(
    ("suite", "words"),
    [
        (Suite("s", (), scorer=EXACT), "suite 's', cases: the suite has no cases."),
        (
            Suite("s", (CASES[0], CASES[0]), scorer=EXACT),
            "suite 's', cases[1].id: duplicate id 'a'.",
        ),
        (
            Suite("s", CASES, scorer=EXACT, profile="x"),
            "unknown profile 'x'. Choose classic or robust.",
        ),
        (Suite("s", CASES), "case 'a' has no scorer"),
        (Suite("s", CASES, scorer=ScorerSpec(id="exat")), "unknown scorer 'exat'"),
        (
            Suite("s", (Case(id="a", prompt="x", weight=0),), scorer=EXACT),
            "suite 's', cases: the weights of all cases add up to 0. Give at least one case a weight above 0.",
        ),
        (
            Suite(
                "s",
                (Case(id="a", prompt="x", weight=1e308), Case(id="b", prompt="x", weight=1e308)),
                scorer=EXACT,
            ),
            "the weights of all cases add up to inf",
        ),
    ],
)
def test_suites_made_in_python_are_checked_as_well(suite, words):
    assert words in "\n".join(map(str, check_suite(suite)))


MADE: list[str] = []
ASKED: list[str] = []


@dataclasses.dataclass(frozen=True, slots=True)
class Counted:
    """A plug-in that counts how often it is made and asked."""

    name: str = "plain"

    def __post_init__(self):
        MADE.append(self.name)

    def score(self, case, trial):  # noqa: ARG002  the protocol's arguments
        return Score.of(1.0)

    def check(self, case):
        ASKED.append(f"{self.name} {case.id}")
        return []

    def faults(self):
        ASKED.append("itself")
        return []


def counted(name: str) -> ScorerSpec:
    return ScorerSpec(id=f"{__name__}:Counted", name=name)


def test_a_scorer_is_made_once_for_all_cases():
    own = counted("own").model_dump()
    cases = [Case(id=str(i), prompt="x", scorer=own if i % 2 else None) for i in range(50)]
    MADE.clear()
    assert check_suite(Suite("s", cases, scorer=counted("shared"))) == []
    assert sorted(MADE) == ["own", "shared"]


def test_a_scorer_is_asked_of_each_case_and_once_of_itself():
    cases = [Case(id=str(i), prompt="x") for i in range(20)]
    ASKED.clear()
    assert check_suite(Suite("s", cases, scorer=counted("free"))) == []
    assert ["itself", *(f"free {i}" for i in range(20))] == ASKED


def test_a_huge_pattern_is_a_finding(faults):
    pattern = "a|" * 6000
    (found,) = faults(
        f"cases:\n  - {{id: a, prompt: x, scorer: {{id: regex, pattern: '{pattern}'}}}}\n"
    )
    assert found == "suite.yaml:2:53: the pattern is longer than 10,000 bytes."


@dataclasses.dataclass(frozen=True, slots=True)
class Brittle:
    """A plug-in that fails while it checks."""

    def score(self, case, trial):  # noqa: ARG002  the protocol's arguments
        return Score.of(1.0)

    def check(self, case):
        raise KeyError(case.id)


def test_a_plug_in_that_fails_while_checking_is_a_finding():
    suite = Suite("s", CASES, scorer=ScorerSpec(id=f"{__name__}:Brittle"))
    found = check_suite(suite)
    assert [one.message for one in found] == [
        "case 'a': the scorer can't check the case: KeyError: 'a'.",
        "case 'b': the scorer can't check the case: KeyError: 'b'.",
    ]


def test_findings_are_capped_and_checking_ends():
    cases = [Case(id=str(i), prompt="x", expected="many") for i in range(1000)]
    found = check_suite(Suite("s", cases, scorer=ScorerSpec(id="numeric")))
    assert len(found) == 200


def test_what_classic_does_not_read_is_a_note_and_no_fault(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(
        "scorer: {id: exact, extract: json}\ncases: [{id: a, prompt: x, expected: y}]\n"
    )
    suite = load_checked(path)
    assert [str(one).replace(f"{tmp_path}/", "") for one in notes_on(suite)] == [
        "s.yaml:1:30: extract has no effect except under profile robust."
    ]
    assert notes_on(load_checked(path, profile="robust")) == []


@pytest.mark.parametrize("scorer", ["exact", "boolean"])
def test_auto_pass_is_accepted_under_both_editions_of_robust(tmp_path, scorer):
    path = tmp_path / "s.yaml"
    text = f"scorer: {{id: {scorer}, auto_pass: true}}\ncases: [{{id: a, prompt: x}}]\n"
    path.write_text(text)
    scores, notes = {}, {}
    for name in ("robust/1", "robust/2"):
        suite = load_checked(path, profile=name)
        notes[name] = [one.message for one in notes_on(suite)]
        made = build(suite.scorer, profile(name))
        scores[name] = made.score(a_case(expected=None), a_trial(text="anything"))
    assert scores["robust/1"].score == scores["robust/2"].score == 1.0
    assert scores["robust/1"].flags == scores["robust/2"].flags == ("auto_pass",)
    assert notes == {
        "robust/1": ["auto_pass has no effect under profile robust/1."],
        "robust/2": [],
    }
    with pytest.raises(SpecError, match="unknown parameter 'auto_pas'"):
        build(ScorerSpec(id=scorer, auto_pas=True), profile("robust/1"))


def test_scorers_are_judged_in_spite_of_faults_of_form_in_the_same_case(faults):
    found = faults(
        "colour: red\nscorer: {id: numeric, tolerance: -1}\ncases:\n"
        "  - {id: a, prompt: x, expected: many, weight: -1}\n"
        "  - {id: a, prompt: x, scorer: {id: regex, pattern: '(', patern: y}, tags: ['']}\n"
    )
    assert [line.split(": ")[0] for line in found] == [
        f"suite.yaml:{place}"
        for place in ("1:1", "2:34", "4:34", "4:48", "5:10", "5:53", "5:58", "5:77")
    ]


def test_parameters_that_check_needs_keep_it_from_being_asked(faults):
    (found,) = faults(
        "scorer: {id: numeric, extract_expcted: json}\n"
        "cases: [{id: a, prompt: x, expected: '{\"answer\": 3}'}]\n"
    )
    assert "Did you mean 'extract_expected'?" in found


def test_patterns_among_rules_stand_at_the_rule_and_not_at_each_case(faults):
    (found,) = faults(
        "profile: robust\nscorer:\n  id: regex\n  pattern: x\n  extract:\n    - json\n    - /(/\n"
        "cases: [{id: a, prompt: x}, {id: b, prompt: x}]\n"
    )
    assert found.startswith("suite.yaml:7:7: invalid regular expression '('")


def test_scorers_are_judged_where_the_cases_can_not_be_read(faults):
    found = faults(
        "scorer: exat\ncases: {file: none.jsonl, defaults: {scorer: {id: numeric, curve: x}}}\n"
    )
    assert {line.split(": ")[0] for line in found} == {
        "suite.yaml:1:9",
        "suite.yaml:2:15",
        "suite.yaml:2:67",
    }


def test_where_some_cases_have_scorers_each_that_has_none_is_told(faults):
    found = faults(
        "cases:\n  - {id: a, prompt: x}\n  - {id: b, prompt: x, expected: y, scorer: exact}\n  - {id: c, prompt: x}\n"
    )
    assert [line.split(": ")[0] for line in found] == ["suite.yaml:2:5", "suite.yaml:4:5"]


@pytest.mark.parametrize("header", ["scorrer: exact", "scorer: 5"])
def test_a_scorer_that_was_mistyped_or_refused_is_not_missing_as_well(faults, header):
    assert len(faults(f"{header}\ncases: [{{id: a, prompt: x, expected: y}}]\n")) == 1


def test_a_mistyped_profile_is_taken_for_the_one_that_was_meant(faults):
    found = faults(
        "profile: Robust\nscorer: {id: boolean, verdict: true}\n"
        "cases: [{id: a, prompt: x, expected: Paris}]\n"
    )
    assert "unknown profile" in found[0]
    assert "verdict needs true, false" in found[1]


def test_texts_that_can_not_be_kept_are_found_in_suites_made_in_python():
    half = Case(id="a", prompt="\ud800", expected="x", metadata={"k": ("\0",)})
    scorer = ScorerSpec(id="exact", extract="/\ud800/")
    messages = [one.message for one in check_suite(Suite("s", (half,), scorer=scorer))]
    assert "case 'a': lone surrogate U+D800 is not allowed." in messages
    assert "case 'a': the control character U+0000 is not allowed." in messages
    assert "lone surrogate U+D800 is not allowed." in messages


def test_faults_of_a_cases_own_scorer_name_the_case_where_there_are_no_lines():
    cases = (CASES[0], Case(id="b", prompt="x", scorer="exat"))
    (found,) = check_suite(Suite("s", cases, scorer=EXACT))
    assert found.message == "case 'b': unknown scorer 'exat'."


@dataclasses.dataclass(frozen=True, slots=True)
class Fragile:
    """A plug-in that fails while it looks at itself."""

    def score(self, case, trial):  # noqa: ARG002  the protocol's arguments
        return Score.of(1.0)

    def faults(self):
        raise RuntimeError("broken")


def test_a_plug_in_that_fails_while_looking_at_itself_is_a_finding():
    (found,) = check_suite(Suite("s", CASES, scorer=ScorerSpec(id=f"{__name__}:Fragile")))
    assert found.message == "the scorer can't check its parameters: RuntimeError: broken."


def test_notes_name_every_parameter_that_classic_leaves_alone():
    scorer = ScorerSpec(id="boolean", any_of=["a"], verdict=True, extract="json")
    own = Case(id="b", prompt="x", scorer={"id": "numeric", "tolerance": 0.1, "extract": "json"})
    suite = Suite("s", (*CASES[:1], own), scorer=scorer)
    found = sorted((one.place.split(", ")[1], one.message.split()[0]) for one in notes_on(suite))
    assert found == [
        ("cases[1].scorer.extract", "extract"),
        ("scorer.any_of", "any_of"),
        ("scorer.extract", "extract"),
        ("scorer.verdict", "verdict"),
    ]


def test_where_there_are_too_many_findings_the_end_says_that_there_may_be_more(faults):
    cases = "".join(f"  - {{id: {i}, prompt: x, expected: many}}\n" for i in range(300))
    found = faults(f"scorer: numeric\ncases:\n{cases}")
    assert found[0].endswith("199 more places have the same error.")
    assert found[-1].startswith("suite.yaml: there may be more errors; checking stopped here.")


def test_a_suite_that_was_checked_knows_its_hash_and_is_not_read_for_it(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text("scorer: exact\ncases: {file: cases.jsonl}\n")
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "prompt": "p", "expected": 1}\n')
    suite = load_checked(path)
    known = suite.__dict__["content_hash"]
    assert known == dataclasses.replace(suite, cases=tuple(suite.cases)).content_hash
    assert suite.sound_under == {"classic/1"}
    assert dataclasses.replace(suite, name="x").sound_under == set()


@pytest.mark.parametrize("key", ["tests", "casse"])
def test_faults_of_cases_under_a_mistyped_key_come_in_the_same_error(faults, key):
    found = faults(
        "scorer: exact\n"
        "prompts: [{id: p, prompt: 'Say {{ nme }}'}]\n"
        f"{key}:\n"
        "  - {id: a, vars: {name: x}, expected: y, expcted: z}\n"
        "  - {id: b, vars: {name: x}, expected: y, weight: -1}\n"
    )
    places = [one.split(": ")[0] for one in found]
    assert places == [
        "suite.yaml:2:27",
        "suite.yaml:3:1",
        "suite.yaml:4:43",
        "suite.yaml:5:51",
    ], found
    assert f"unknown field '{key}'" in found[1]
    assert "undefined variable 'nme'" in found[0]


def test_a_variable_in_a_case_without_vars_is_noted(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text(
        "name: s\nscorer: exact\ncases:\n"
        "  - {id: a, prompt: 'hi {{x}}', vars: {x: 1}, expected: '1'}\n"
        "  - {id: b, prompt: 'hi {{x}}', expected: '1'}\n"
    )
    (note,) = notes_on(load_checked(path))
    assert (note.line, note.message) == (5, "{{x}} is sent as it is, since case 'b' has no vars.")
    assert note.hint == "Add vars to the case or to the suite."


def test_prompts_under_a_mistyped_key_or_beside_a_faulty_one_are_rendered_with_every_case(faults):
    cases = "cases: [{id: a, vars: {question: x}, expectd: y, scorer: exat}]\n"
    mistyped = faults(f'prompt: "{{{{ questin }}}}"\n{cases}')
    beside = faults(f'prompts: [{{id: p, prompt: "{{{{ questin }}}}"}}, 3]\n{cases}')
    for found in (mistyped, beside):
        assert any("undefined variable 'questin' in case 'a'" in line for line in found)
        assert any("unknown field 'expectd'" in line for line in found)
        assert any("unknown scorer 'exat'" in line for line in found)


def test_values_under_a_mistyped_field_of_a_case_are_checked(faults):
    found = faults("cases: [{id: a, prompt: x, expected: y, check: [{type: contanis}]}]\n")
    assert [line.partition(". ")[0] for line in found] == [
        "suite.yaml:1:41: unknown field 'check'",
        "suite.yaml:1:56: unknown scorer 'contanis'",
    ]
