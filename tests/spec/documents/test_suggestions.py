from benchmaker.spec.documents.suggestions import did_you_mean, nearest_name


def test_a_mistyped_name_has_a_nearest():
    assert nearest_name("expectd", ["prompt", "expected"]) == "expected"


def test_case_alone_makes_a_name_near():
    assert nearest_name("ID", ["id", "prompt"]) == "id"


def test_nothing_similar_is_none_and_no_question():
    assert nearest_name("zzz", ["prompt"]) is None
    assert did_you_mean("zzz", ["prompt"]) == ""


def test_a_huge_word_is_compared_in_bounded_time():
    assert nearest_name("x" * 1_000_000, ["prompt"] * 100) is None
