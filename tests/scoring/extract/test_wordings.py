# ruff: noqa: RUF001  the letters of Turkish
"""Classes of wordings, each by several of its kind: which answer does the reply give?"""

import pytest

from benchmaker import score


def is_right(kind, reply, expected, **more):
    return score(kind, reply, expected, profile="robust", **more).score == 1.0


def check(kind, reply, right, wrong, **more):
    """The reply gives the one answer and not the other."""
    assert is_right(kind, reply, right, **more)
    assert not is_right(kind, reply, wrong, **more)


@pytest.mark.parametrize(
    "reply",
    [
        "I believe the answer might be Lima, but honestly it's Quito that I'd go with.",
        "It could be Lima, but I'm going with Quito.",
        "Lima came to my mind first, but I'm going with Quito.",
        "Lima comes to mind, yet I'll settle on Quito.",
        "Perhaps it is Lima, but I pick Quito.",
    ],
)
def test_a_first_idea_yields_to_the_one_that_the_speaker_takes(reply):
    check("exact", reply, "Quito", "Lima")


@pytest.mark.parametrize(
    "reply",
    [
        "It might be Lima, but I'm not entirely certain.",
        "I'd say Lima, but don't bet on it.",
        "Lima, but it is far from Cusco.",
    ],
)
def test_a_doubt_takes_nobody_elses_side(reply):
    assert is_right("exact", reply, "Lima")


@pytest.mark.parametrize(
    "reply",
    [
        "Quito — not, as often believed, Lima.",
        "Quito, and not, as many maps have it, Lima.",
        "Es ist Quito, nicht, wie oft behauptet, Lima.",
    ],
)
def test_a_remark_behind_a_denial_does_not_end_it(reply):
    assert not is_right("exact", reply, "Lima")


@pytest.mark.parametrize(
    "reply",
    [
        "Früher war es Lima, heute ist es Quito.",
        "Formerly it was Lima, today it is Quito.",
        "It used to be Lima, now it is Quito.",
        "Antes era Lima, hoy es Quito.",
    ],
)
def test_what_is_today_goes_before_what_was(reply):
    check("exact", reply, "Quito", "Lima")


def test_what_was_may_be_said_last():
    assert is_right("exact", "Today it is Quito, formerly it was Lima.", "Quito")


@pytest.mark.parametrize(
    "reply",
    [
        "While many assume it's Quito, the capital is actually **Lima**. It lies below Cusco.",
        "Although it looks like Quito at first, the capital is Lima. It lies on the coast.",
    ],
)
def test_a_concession_before_an_answer_does_not_touch_it(reply):
    check("exact", reply, "Lima", "Quito")


@pytest.mark.parametrize(
    "reply",
    [
        "Run:\n\n```bash\ngit pull\n```\n\nThis fetches and merges.",
        "```\ngit pull\n```\nIt needs a remote branch.",
        "You can do that with this command:\n```\ngit pull\n```\nAdd --rebase for a straight line.",
    ],
)
def test_an_answer_in_a_block_may_be_explained_behind_it(reply):
    check("exact", reply, "git pull", "git push")


@pytest.mark.parametrize(
    "reply",
    [
        "Don't run:\n```\ngit pull\n```\nRun `git fetch`.",
        "Run:\n```\ngit pull\n```\nBut git pull is not what you want; use `git fetch`.",
        "First:\n```\ngit pull\n```\nThen:\n```\ngit fetch\n```\nThat is all.",
        "Many would run:\n```\ngit pull\n```\nThe right command is `git fetch`.",
    ],
)
def test_a_block_that_is_turned_down_is_no_answer(reply):
    assert not is_right("exact", reply, "git pull")


@pytest.mark.parametrize(
    ("reply", "city"),
    [
        ("Türkiye'nin başkenti Ankara'dır.", "Ankara"),
        ("En kalabalık şehir İstanbul’dur.", "İstanbul"),
        ("Bu şehir Tokat'tır.", "Tokat"),
    ],
)
def test_the_turkish_copula_belongs_to_no_name(reply, city):
    assert is_right("exact", reply, city)
    assert not is_right("exact", f"Bu şehir Bursa'dır, {city} değil.", city)


def test_another_name_with_an_apostrophe_stays_one():
    assert not is_right("exact", "It was O'Brien.", "O")
    assert not is_right("exact", "The book is Ankara'daki Ev.", "Ankara")


@pytest.mark.parametrize(
    ("reply", "right", "wrong"),
    [
        ("After giving 18 away, Tom is left with 42 marbles. He started with 60.", "42", "60"),
        ("So 7 eggs remain. Originally there were 12.", "7", "12"),
        ("She keeps 15 coins. At first she had 40.", "15", "40"),
        ("She saved 50% of $200, leaving $100 in 2 accounts.", "100", "50"),
        ("He spends a third of 90 euros, which leaves 60 euros for 3 weeks.", "60", "90"),
        ("The result:\n```\n135\n```\nThat is 2 h 15 min.", "135", "15"),
        ("```\n135\n```\n(2 h 15 min)", "135", "15"),
    ],
)
def test_the_rest_is_the_result_and_not_the_beginning(reply, right, wrong):
    check("numeric", reply, right, wrong)


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("He had 18 left in the end. So he started with 60.", "60"),
        ("Let x be the start: x - 18 = 42. He started with 60.", "60"),
        ("Consider the list:\n```\n5\n```\nTherefore its sum is 9.", "9"),
        ("12 - 5 = 7, leaving 5 for later.", "7"),
    ],
)
def test_a_beginning_that_is_concluded_is_a_result(reply, right):
    assert is_right("numeric", reply, right)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("False would be the wrong answer here; it's True.", True),
        ('"Yes" is the wrong answer; the number is composite, so no.', False),
        ('"No" would be incorrect here. Yes.', True),
        ("Yes would be a mistake.", False),
        ("True is what the map suggests, but the right verdict is false.", False),
        ("Yes is the right answer.", True),
        ("It looks prime, but 91 = 7*13, so it is not prime.", False),
        ("It may seem a square, but 50 is not a square.", False),
        ("119 may look prime at first, yet it equals 7 × 17, so it isn't.", False),
        ("On the map it seems larger, but in reality it is not.", False),
        ("It seems smaller, but it is.", True),
    ],
)
def test_a_verdict_that_is_only_spoken_of_is_none(reply, value):
    names = ("yes", "true") if value else ("no", "false")
    others = ("no", "false") if value else ("yes", "true")
    for right, wrong in zip(names, others, strict=True):
        check("boolean", reply, right, wrong)


CITIES = ["Paris", "Rome", "Madrid", "Lisbon"]


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("My pick: C. B is close though.", "C"),
        ("C it is. I hesitated over B for a while.", "C"),
        ("I choose C. B would be my backup.", "C"),
        ("Choice: C. B is tempting, though.", "C"),
        ("It was B in my first draft; I now choose C.", "C"),
        ("Third one.", "C"),
        ("**Last one.**", "D"),
        ("The second one, since the others are no capitals of Italy.", "B"),
    ],
)
def test_what_was_nearly_chosen_is_not(reply, letter):
    for other in "ABCD":
        assert is_right("choice", reply, other, choices=CITIES) is (other == letter)


@pytest.mark.parametrize(
    "reply", ["B is close to the right answer, but C is right.", "First, look."]
)
def test_a_place_or_a_closeness_alone_chooses_nothing(reply):
    assert not is_right("choice", reply, "A", choices=CITIES)
    assert not is_right("choice", reply, "B", choices=CITIES)


CITIES = ("Paris", "Rome", "Berlin", "Oslo")


@pytest.mark.parametrize(
    ("reply", "step"),
    [
        ("To find the answer:\n\n16 - 7 = 9 eggs\n9 × 2 = 18\n\nJanet earns $18.", "9"),
        ("Let's find the answer: first, 16 - 7 = 9.\nThen 9 × 2 = 18.\n\nSo it is $18.", "9"),
        ("To get to the answer: she has 16 eggs.\nShe sells 9.\n\nTherefore she makes $18.", "16"),
        ("**To determine the right answer:**\n\nShe keeps 16 - 7 = 9.\n\nShe earns $18.", "9"),
        ("Here's how I found the answer: 16 - 7 = 9. So 9 × 2 = 18.", "9"),
        ("We need to work out the answer: 16 eggs are laid.\nHence 18.", "16"),
        ("Pour trouver la réponse : 16 - 7 = 9.\nDonc elle gagne 18 $.", "9"),
    ],
)
def test_a_clause_that_sets_out_for_the_answer_names_none(reply, step):
    check("numeric", reply, "18", step)


def test_a_clause_that_sets_out_for_the_answer_chooses_no_option():
    reply = "How to get the answer: A is in France.\nB is in Italy.\n\nSo I choose B."
    check("choice", reply, "B", "A", choices=CITIES)


@pytest.mark.parametrize(
    ("reply", "other"),
    [
        ("Multiply 9 by 2 to get the answer: 18.\n\nThere are 7 days in a week.", "7"),
        ("Now we get the answer: 18. She started with 16.", "16"),
        ("Let me give you the answer: 18. She started with 16.", "16"),
    ],
)
def test_a_clause_that_arrives_at_the_answer_names_it(reply, other):
    check("numeric", reply, "18", other)


@pytest.mark.parametrize(
    "reply",
    [
        "You might think the answer is Cusco, but it is Lima.",
        "You might think the answer is Cusco. Actually, it is Lima.",
        "Many people think the answer is Cusco. However, it is Lima.",
        "At first I thought the answer was Cusco, but it is Lima.",
        "One would expect that the answer is Cusco; in fact it is Lima.",
    ],
)
def test_a_guess_that_is_turned_down_is_not_the_answer(reply):
    check("exact", reply, "Lima", "Cusco")


@pytest.mark.parametrize(
    ("reply", "right", "wrong"),
    [
        ("It might seem that the answer is no, but it is in fact yes.", "yes", "no"),
        ("You may think the answer is yes, but it is no.", "no", "yes"),
    ],
)
def test_a_verdict_that_is_turned_down_is_not_the_answer(reply, right, wrong):
    check("boolean", reply, right, wrong)


@pytest.mark.parametrize(
    "reply",
    [
        "I think the answer is Lima, but I am not certain.",
        "You might not expect it, but the answer is Lima, however odd.",
        "It seems the answer is Lima, but Cusco is better known.",
    ],
)
def test_a_remark_behind_an_answer_turns_nothing_down(reply):
    assert is_right("exact", reply, "Lima")


@pytest.mark.parametrize(
    ("reply", "first"),
    [
        ("- Monday: 6\n- Tuesday: 12\n- Total: **18**", "6"),
        ("| Day | Eggs |\n|---|---|\n| Monday | 6 |\n| Tuesday | 12 |\n| Total | **18** |", "6"),
        ("Total eggs: 16\nEaten: 7\nLeft: 9\nRevenue: 9 * 2 = 18 dollars per day", "16"),
        ("1. 6 items\n2. $3 each\n3. 6 × 3 = 18", "6"),
        ("- Cost per item: $3\n- Items: 6\n- Total cost: 3 × 6 = $18", "3"),
        ("1. **Eggs per day:** 16\n2. **Eggs sold:** 9\n3. **Money:** 9 × 2 = $18", "16"),
    ],
)
def test_a_list_or_working_ends_in_its_result(reply, first):
    check("numeric", reply, "18", first)


@pytest.mark.parametrize("head", ["18 eggs", "**18**\n", "Total: 18"])
def test_a_result_before_its_list_stays_the_result(head):
    check("numeric", f"{head}\n- Monday: 6\n- Tuesday: 12", "18", "12")


@pytest.mark.parametrize(
    "reply",
    [
        "She would get $32. Since she keeps 7, she gets $14 less, i.e. $18.",
        "He pays $32 minus a $14 discount, i.e. $18.",
        "He saves $14, meaning he pays $18.",
        "She gets a discount of $14, that is, she pays $18.",
    ],
)
def test_a_result_is_restated_behind_a_difference(reply):
    check("numeric", reply, "18", "14")


@pytest.mark.parametrize(
    ("reply", "side"),
    [
        ("They need 18 buses, i.e. 3 more than before.", "3"),
        ("There are 18 students, meaning two full tables.", "2"),
        ("He saves $18, i.e. $2 per week.", "2"),
    ],
)
def test_a_remark_restates_no_result(reply, side):
    check("numeric", reply, "18", side)


@pytest.mark.parametrize(
    "reply",
    [
        "**B. Rome**\n\nRome is the capital of Italy. Paris (A) is the capital of France.",
        "B) Rome\n\nRome lies in Italy.\n\nParis (A) is the capital of France.",
        "A) Paris – incorrect\nB) Rome – correct\nC) Berlin – incorrect\nD) Oslo – incorrect",
        "- A: False\n- B: True\n- C: False\n- D: False",
        "I looked at all four.\n\nA: wrong\nB: right\nC: wrong\nD: wrong",
        "A: **Wrong**\nB: **Right**\nC: **Wrong**\nD: **Wrong**\n\nParis (A) lies in France.",
    ],
)
def test_an_option_that_opens_the_reply_or_is_called_right_is_chosen(reply):
    check("choice", reply, "B", "A", choices=CITIES)


@pytest.mark.parametrize(
    "reply",
    ["A: True\nB: False\nC: True\nD: True", "A: True\nB: True\nC: False\nD: False"],
)
def test_several_options_that_are_called_right_choose_none(reply):
    assert not any(is_right("choice", reply, it, choices=CITIES) for it in "ABCD")


def test_a_conclusion_counts_more_than_remarks_on_options():
    reply = "A: wrong\nB: right\nC: wrong\nD: wrong\n\nSo, all in all, I choose D."
    check("choice", reply, "D", "B", choices=CITIES)


@pytest.mark.parametrize(
    ("reply", "right", "wrong"),
    [
        ("Absolutely! 17 is prime.", "yes", "no"),
        ("Certainly, 17 is a prime number.", "yes", "no"),
        ("Indeed, whales are mammals.", "yes", "no"),
        ("I think so.", "yes", "no"),
        ("I don't think so.", "no", "yes"),
        ("I do not believe so, since 15 = 3 × 5.", "no", "yes"),
        ("I think not.", "no", "yes"),
    ],
)
def test_assent_and_doubt_are_verdicts(reply, right, wrong):
    check("boolean", reply, right, wrong)


@pytest.mark.parametrize(
    "reply",
    [
        "Certainly! 15 is not prime.",
        "Certainly! Let me explain. 15 is composite.",
        "Certainly, I can help: 15 is composite.",
        "Sure! 15 is divisible by 3.",
    ],
)
def test_a_polite_opening_is_no_assent(reply):
    assert not is_right("boolean", reply, "yes")


@pytest.mark.parametrize(
    "reply",
    [
        "The largest city is Paris, but the capital is Lyon.",
        "The old seat of the court was Paris; however, the capital is Lyon.",
        "The first choice is Paris, but the capital is Lyon.",
    ],
)
def test_of_two_things_set_against_each_other_the_first_is_no_answer(reply):
    check("exact", reply, "Lyon", "Paris")


def test_an_earlier_state_is_not_set_against_the_answer():
    assert is_right("exact", "The capital is Lima, but the former capital was Cusco.", "Lima")


def test_a_long_list_takes_no_longer_than_it_is():
    """A pattern with two ways to read each space would try 2 to the power of the items."""

    def listed(items):
        return "Format: Name, " + ", ".join(f"Field{i}" for i in range(items)) + "."

    assert is_right("exact", listed(60), "Name") == is_right("exact", listed(6), "Name")
