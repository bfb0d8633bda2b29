"""Which requests are answered from memory."""

from benchmaker.web.kept_answers import KeptAnswers


def found_in_memory(monkeypatch):
    """The paths that are answered without a route from now on."""
    found = []
    find = KeptAnswers._find

    async def watched(self, request):
        made = await find(self, request)
        if made is not None:
            found.append(request.url.path)
        return made

    monkeypatch.setattr(KeptAnswers, "_find", watched)
    return found
