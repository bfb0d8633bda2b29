import pytest

from benchmaker.errors import StoreError
from benchmaker.store import Message


def news(number=0):
    body = {"number": number, "text": "\x00\ud800"}
    return Message(topic="run.finished", dedupe_key=f"key-{number}", body=body, actor="ann")


def test_a_message_waits_until_it_is_delivered(store):
    assert store.put_message(news())
    (waiting,) = store.pending_messages()
    assert (waiting.message, waiting.attempts, waiting.last_error) == (news(), 0, None)
    store.mark_delivered(waiting.seq)
    assert store.pending_messages() == ()


def test_messages_wait_in_their_order_and_are_read_a_few_at_a_time(store):
    for number in range(5):
        store.put_message(news(number))
    assert [waiting.message for waiting in store.pending_messages(3)] == [
        news(at) for at in range(3)
    ]


def test_a_key_is_announced_once_even_after_delivery(store):
    assert store.put_message(news())
    assert not store.put_message(news())
    store.mark_delivered(store.pending_messages()[0].seq)
    assert not store.put_message(Message(topic="other", dedupe_key="key-0"))
    assert store.pending_messages() == ()


def test_failed_tries_are_counted_with_their_last_error(store):
    store.put_message(news())
    seq = store.pending_messages()[0].seq
    store.mark_failed(seq, "refused")
    store.mark_failed(seq, "timed out\x00")
    (waiting,) = store.pending_messages()
    assert (waiting.attempts, waiting.last_error) == (2, "timed out\x00")


@pytest.mark.postgresql("no other test has its statements")
def test_a_message_that_is_not_there_is_said_so(store):
    with pytest.raises(StoreError, match="no message 7"):
        store.mark_delivered(7)
    with pytest.raises(StoreError, match="no message 7"):
        store.mark_failed(7, "")


def test_messages_are_read_on_from_the_last_one_seen(store):
    for number in range(4):
        store.put_message(news(number))
    first = store.pending_messages(2)
    assert [one.message for one in store.pending_messages(after=first[-1].seq)] == [
        news(2),
        news(3),
    ]
