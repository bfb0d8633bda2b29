from benchmaker.cli.progress.live import Stop


def test_the_first_wish_alone_is_told():
    told = []
    stop = Stop(lambda: told.append(stop.is_set()))
    stop.set()
    stop.set()
    assert told == [True]
