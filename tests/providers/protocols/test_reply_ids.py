from benchmaker.providers.protocols.client import ReplyIds


def test_an_id_that_came_before_is_noticed_each_time():
    ids = ReplyIds()

    assert [ids.came_before(f"chatcmpl-{n:08}") for n in (1, 2, 1, 3, 1)] == [
        False, False, True, False, True,
    ]  # fmt: skip


def test_short_ids_and_none_say_nothing():
    ids = ReplyIds()

    assert not any(ids.came_before(name) for name in ["chatcmpl-842"] * 3 + [None] * 2 + [""] * 2)


def test_memory_is_bounded_and_the_oldest_is_forgotten():
    ids = ReplyIds()
    for n in range(5_000):
        ids.came_before(f"chatcmpl-{n:08}")

    assert not ids.came_before("chatcmpl-00000000")
    assert ids.came_before("chatcmpl-00004999")
