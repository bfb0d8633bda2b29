# ruff: noqa: RUF001  the marks of other scripts
"""The use of the expected text in a sentence: answer, mention, denial, or one of several."""

import re
from collections.abc import Callable
from enum import Enum

from benchmaker.scoring.extract.candidates import names_another
from benchmaker.scoring.extract.clauses import CLAUSE, QUOTES, ClauseSlot, find_slots
from benchmaker.scoring.extract.marks import strip_marks
from benchmaker.scoring.extract.phrases import (
    ARTICLE,
    CONCEDED,
    CONCEDING,
    CONTRAST,
    DENIED_AFTER,
    ELSE,
    HEARSAY,
    INSTEAD,
    IS,
    IT_IS,
    NAMED_WRONG,
    NOT,
    NOT_A_DENIAL,
    NOTHING,
    REASON,
    RELATIVE,
    RUNNER_UP,
    STAND,
    TURN,
    VERBS,
    YIELDS,
    is_negative,
)
from benchmaker.scoring.extract.slots import SLOT, Shape


class SlotUse(Enum):
    """The use of the expected text in a sentence."""

    ANSWER = "answer"
    COMPLEMENT = "complement"
    SUBJECT = "subject"
    MENTION = "the expected text is only mentioned"
    DENIAL = "the expected text is denied"
    CHOICE = "it names several answers"
    ABSENT = "another answer"


STATES = frozenset({SlotUse.ANSWER, SlotUse.COMPLEMENT, SlotUse.SUBJECT})
"""The uses that state the text."""

FALSE = frozenset({SlotUse.DENIAL, SlotUse.CHOICE})
"""The uses that speak against it."""

_LEAD = re.compile(
    rf"[\s\W_]*(?:(?:{IT_IS}|so|thus|therefore|hence|then|and|well|also|yes|ok|okay|finally|overall"
    rf"|in short|in conclusion|to conclude"
    rf"|definitely|certainly|clearly|obviously|probably|simply|just|indeed|surely|it(?:['’]s"
    rf"| is| was| must be| has to be| would be| should be)|that(?:['’]s| is| was| would be)"
    rf"|this(?: is| was)|they are|these are|he is|she is|i (?:would say|['’]d say|say|believe"
    rf"|think|guess)|it['’]?s|my answer|answer|final answer|result|called"
    rf"|es ist|das ist|c['’]est|ce sont|es|son|è|é|je pense|ich denke|ich glaube|creo que"
    rf"|{ARTICLE})[\s,:;.!—–*_\"'“”-]*)*",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_CJK_BEFORE = frozenset("是为為はがも在叫于於即就选選で的の了到由被：、，。「“")
_TITLE = re.compile(
    r"president|king|queen|dr|mr|mrs|ms|sir|professor|prof|captain|author|painter|composer|general"
    r"|emperor|empress|prince|princess|saint|lord|lady|chancellor|minister|physicist|chemist"
    r"|scientist|poet|writer|novelist|element|city"
)
_FUNCTION = re.compile(
    r"the|an?|it|its|in|on|at|by|to|of|for|from|with|is|are|was|were|that|this|these|so|thus"
    r"|therefore|hence|and|as|called|named|known|then|because|since|yes|no|if|when|i|we|he|she|they"
    r"|there|here|answer|definitely|certainly|clearly|obviously|probably|simply|finally|actually"
    r"|use|try|write|run|type|enter|execute|call|choose|pick|select|say|want|need|der|die|das|ist|war|es|im|les?|la|une?|est|c'est|el|los|il|lo|è"
    r"|é|las|de|du|des|von|vom|zu|zur|den|dem|nach|mit|per|por|para|que|correct|right|wird|heißt"
)
_SEPARATOR = re.compile(r"[:;,—–(\[>=→⇒|…]|->|=>")
_WEAK = re.compile(
    r"\b(?:could|might|may|can) (?:also )?be\b|\b(?:maybe|perhaps|possibly)\b"
    r"|\bpossible answers?\b|\bcomes? to mind\b|\bvielleicht\b|\bpeut-être\b|\bquizás?\b|かもしれ",
    re.IGNORECASE,
)
COPULA = re.compile(
    rf"(?<![\w'])(?:{IS}|called|named|becomes?|means?)(?![\w'])|['’]s\b|是|は|为|為", re.IGNORECASE
)
"""A verb that binds an answer."""

_TAIL = re.compile(
    r"[\s\"'”’*_`]*(?:[.!。！…]*|[.,;:!—–(\[].*|-(?:\s.*)?|(?:because|since|as|for|which|who"
    r"|where|that|with|in|on|at|from|rather|instead|unlike|not|over|nicht|statt|plutôt|et (?:non"
    r"|pas)|und nicht|y no|e não|mit|auf|bei|seit|avec|sur|con|en|desde|com|and (?:not|it|its"
    r"|is|the|he|she|they|has|was)|due|denn|weil"
    r"|car|parce|porque|de|du|des|von|des)\b.*"
    r"|(?:です|だ|でした|だよ|である|입니다|이다|。).*)",
    re.IGNORECASE | re.DOTALL,
)
_PARENTHESES = re.compile(r"\s*\([^()]*\)|（[^（）]*）")
_MARKED = re.compile(rf"[`*\"“„«「『]\s?{SLOT}\s?[`*\"”“»」』]")
_REQUEST = re.compile(
    r"\b(?:whether|you(?:['’]re| are)? ask\w*|the question|wants? to know|wonder\w*|ob"
    r"|si l[ae])\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"\W*(?:although|though|even though|even if|while|whereas|despite|obwohl|während|auch wenn"
    r"|bien que|même si|alors que|aunque|mientras(?: que)?|sebbene|benché|embora)\b[^,]*,",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"[\s\"'”’*_`]*(?:until|till|before \d|bis|jusqu|hasta)\b", re.IGNORECASE)
_NEXT = re.compile(
    r"(?:,|\band|;)\s*(?:then|followed by|next|second(?:ly)?|dann|puis"
    r"|luego)\s+(?:\w+\s+)?[\"'“*_`]*$|\bfollowed by\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_KIN = re.compile(
    r"\b(?:daughter|son|wife|husband|father|mother|brother|sister|student|pupil|friend"
    r"|colleague|teacher|successor|predecessor|rival|north|south|east|west|suburb|outskirts"
    r"|opposite|capital|symbol|part|child|widow|assistant|version|kind"
    r"|half)\s+of\s+(?:the\s+)?[\"'“*_`]*$",
    re.IGNORECASE,
)
_RANKED_AFTER = re.compile(
    r"\b(?:second|third|fourth|fifth|sixth|next|\d{1,2}(?:nd|rd|th)|(?:zweit|dritt|viert)\w*"
    r"|deuxième|troisième|segund[oa]|tercer[oa]?)"
    rf"(?:[\s-]+(?!(?:{IS}|it|he|she|they)\b|\w+ed\b)[\w-]+){{0,4}}\s+"
    rf"(?:after|behind|nach|hinter|après|derrière|tras|después de)\s+(?:{ARTICLE}\s+)?[\"'“*_`]*$",
    re.IGNORECASE,
)
"""What leads to the first where a second is named: "the second largest after"."""

_PAUSE = re.compile(rf",\s*(?!as\b)|[;:—–()]|，|、|{INSTEAD}")
_NOT_ASIDE = re.compile(
    r"(\b(?:not|nicht|pas|niet|nie|não|never)),\s*[^,;:]{1,60},\s", re.IGNORECASE
)
"""A denial with a remark behind it: "not, as often believed, Cusco"."""

_VERB_SOON = re.compile(
    rf"(?:\w+\s+){{0,2}}(?:(?:{IS}|has|have|had|does|do|did|will|can|could|would|should|may"
    rf"|might|must|hat|wird|a|ont|ha|\w+(?:ed|s)|{VERBS}|it|\w+te|\w+ó)(?![\w])|['’]s\b)"
    rf"|[是はがでだ。、，,.;:—–(]|-\s",
    re.IGNORECASE,
)
_LABELS = re.compile(
    r"\b(?:answer|note|fact|summary|conclusion|result|antwort|réponse|respuesta)\b", re.IGNORECASE
)
_LOWER = re.compile(r"[a-zà-ÿ'’]+")
_VERB = re.compile(
    rf"(?<![\w'])(?:{IS}|has|have|had|does|do|did|will|can|could|would|should|may|might|must"
    rf"|hat|haben|wird|a|ont|hay|ha)(?![\w'])|['’]s\b|\b\w+(?:ed|es|ates|izes)\b"
    rf"|\b(?:{VERBS})\b|是|です",
    re.IGNORECASE,
)
_OF_IT = re.compile(rf"\W*(?:{IS})\s+(?:its|his|her|their)\b", re.IGNORECASE)
_IS_A_THING = re.compile(
    rf"[\W_]*(?!(?:It|That|This|He|She|They|There)\b)[A-ZÀ-Ý][\w'’-]*"
    rf"(?: [A-ZÀ-Ý][\w'’-]*){{0,3}}\s+(?:{IS})\s+(?i:{ARTICLE})\s+(?:[\w-]+\s*){{1,6}}{TURN}\s*"
)
"""A clause that a second of its form follows: "Sydney is the largest city, but"."""

_CALLS_RIGHT = re.compile(
    rf"\W*(?:{IS})\s+(?:the|my|your|correct|right|der|die|das|la|le|el|il)\b", re.IGNORECASE
)
_SPEAKER = re.compile(r"\W*(?:i|we|let|ich|wir|je|nous|on|yo)\b", re.IGNORECASE)
_NO = re.compile(r"\bno\s+(?:\w+\s+)?[\"'“*_`]*$", re.IGNORECASE)
_LIMITED = re.compile(rf"{CONCEDING}|,\s*(?:{REASON})\s+(?:{ARTICLE}\s+)?$", re.IGNORECASE)
_RELATIVE = re.compile(
    rf",\s*(?:\w{{1,4}}\s)?(?:{RELATIVE})\s+(?!(?:{IS})\b)(?:(?!\b(?:{IS}|{YIELDS})\b)[^,;])*$",
    re.IGNORECASE,
)
_APPOSED_KIN = re.compile(
    rf",\s*{ARTICLE}\s+[\w-]+(?:\s+[\w-]+){{0,2}}\s+(?:of|von|de|di|van)\s+(?:{ARTICLE}\s+)?$",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    rf"(?<!\w)(?:{NOTHING})\b.*\b(?:than|als|que|di)\s+(?:{ARTICLE}\s+)?[\"'“*_`]*$", re.IGNORECASE
)
_CONCLUDES_OTHER = re.compile(
    rf",\s*(?:so|thus|therefore|hence|also|daher|donc)\b[^{SLOT}]*\b(?:{IS})\s+(?:the\s+)?[A-Z][^{SLOT}]*$"
)
_APPOSITION = re.compile(rf"\s*,[^,]{{1,60}},\s*(?:{IS}|has|had)\b", re.IGNORECASE)
_TURN = re.compile(rf"[;,—–]?\s*\b(?:{CONTRAST})\b", re.IGNORECASE)
_SHORT_HEAD = re.compile(r"\s*[^\s:—–]+(?:\s+[^\s:—–]+){0,2}\s*[:—–]\s*")
_SHORT = 6


def classify_slot(sentence: str, *, shape: Shape = Shape.WORD) -> SlotUse:
    """Return the use of the slot in a sentence.

    >>> classify_slot(f"The capital is {SLOT}, not Cusco"), classify_slot(f"It is not {SLOT}")
    (<SlotUse.COMPLEMENT: 'complement'>, <SlotUse.DENIAL: 'the expected text is denied'>)
    """
    if SLOT not in sentence:
        return SlotUse.ABSENT
    without = _PARENTHESES.sub("", sentence)
    text = NOT_A_DENIAL.sub(" ", strip_marks(without if SLOT in without else sentence)).strip()
    if text.rstrip("\"'”’*_) ").endswith(("?", "？")):
        return SlotUse.MENTION
    is_marked = bool(_MARKED.search(sentence))
    return _combine(
        [_classify_place(place) for place in find_slots(text, shape, is_marked=is_marked)]
    )


def _combine(found: list[SlotUse]) -> SlotUse:
    """The claim of a sentence that holds several slots."""
    if SlotUse.CHOICE in found:
        return SlotUse.CHOICE
    stated = [it for it in found if it in STATES]
    if found[-1] is SlotUse.DENIAL or (SlotUse.DENIAL in found and not stated):
        return SlotUse.DENIAL
    return stated[-1] if stated else found[-1]


def _classify_place(place: ClauseSlot) -> SlotUse:
    if names_another(place):
        return SlotUse.CHOICE
    if _SUPERLATIVE.search(place.clause_before):
        return SlotUse.COMPLEMENT
    if _is_denied(place):
        return SlotUse.DENIAL
    if any(is_mention(place) for is_mention in _MENTIONS):
        return SlotUse.MENTION
    if _is_set_against(place):
        return SlotUse.CHOICE
    kind = _position(place)
    return SlotUse.MENTION if kind is SlotUse.SUBJECT and _yields(place) else kind


def _is_denied(place: ClauseSlot) -> bool:
    if DENIED_AFTER.match(place.text, place.at + 1, place.end):
        return True
    if NAMED_WRONG.search(place.text[: place.at]):
        return True
    last = _PAUSE.split(_NOT_ASIDE.sub(r"\1 ", place.clause_before))[-1]
    return bool(_NO.search(last)) or is_negative(last)


def _is_subordinate(place: ClauseSlot) -> bool:
    """True if the text is in an opening clause that concedes something."""
    found = _SUBORDINATE.match(place.text)
    return bool(found and place.at < found.end() and place.text[found.end() :].strip(" .!"))


def _is_limited(place: ClauseSlot) -> bool:
    """True if the text is in a clause that limits or explains the one before it."""
    head = place.text[: place.at]
    found = _LIMITED.search(head) or _RELATIVE.search(head) or _APPOSED_KIN.search(head)
    return bool(found and re.search(r"\w", head[: found.start()]))


def _is_requested(place: ClauseSlot) -> bool:
    request = _REQUEST.search(place.clause_before)
    if request and not COPULA.search(place.clause_before, request.end()):
        return True
    return place.shape is Shape.SYMBOL and _is_cut(place.clause_before)


def _is_compared(place: ClauseSlot) -> bool:
    before = place.clause_before
    if _KIN.search(before) or ELSE.search(place.text[: place.at]) or _NEXT.search(before):
        return True
    if _UNTIL.match(place.text, place.at + 1) or _RANKED_AFTER.search(before):
        return True
    return bool(_WEAK.search(before)) and place.text.count(SLOT) > 1


def _is_conceded(place: ClauseSlot) -> bool:
    """True if the clause reports the view of others, and another contradicts it."""
    turns = place.text_after_clause.strip(" .!") and CLAUSE.match(place.text_after_clause)
    if not turns:
        return False
    if CONCEDED.search(place.text[: place.end]):
        return True
    is_weak = _WEAK.search(place.clause_before) or _WEAK.search(place.clause_after)
    return bool(
        is_weak and _TURN.match(place.text_after_clause) and _takes_another(place.text_after_clause)
    )


def _is_hearsay(place: ClauseSlot) -> bool:
    """True if the clause reports the view of others."""
    opening = _SUBORDINATE.match(place.text)
    start = opening.end() if opening and opening.end() <= place.at else 0
    found = HEARSAY.search(place.text[start:])
    return bool(found and place.start <= start + found.start() < place.at)


def _is_runner_up(place: ClauseSlot) -> bool:
    """True if the text comes second to an answer before it: "Lima, with Cusco as runner-up"."""
    if RUNNER_UP.match(place.clause_after) is None:
        return False
    head = place.text[: place.start].strip(" ,;:—–")
    return place.clause_before.rstrip().endswith("with") or (bool(head) and is_fragment(head))


_MENTIONS: tuple[Callable[[ClauseSlot], bool], ...] = (
    _is_subordinate,
    _is_limited,
    _is_requested,
    _is_compared,
    _is_conceded,
    _is_hearsay,
    _is_runner_up,
)


def _is_cut(before: str) -> bool:
    """True if a symbol right before the slot may belong to the same expression."""
    last = before.rstrip()[-1:]
    return bool(last) and not last.isalnum() and last not in ":,.;!=\"'`“*_—–→"


def _is_set_against(place: ClauseSlot) -> bool:
    """True if two things are contrasted, and only the question decides between them."""
    against = _OTHER_THING.match(place.text_after_clause)
    if against is None or against["name"] == SLOT or CONCEDED.search(against["thing"]):
        return False
    return bool(_THING.fullmatch(place.clause_before) and ends(place.clause_after))


_DONE_IN = (
    r"(?:first\s+)?\w+(?:ed|[aeo]w?n|rn|ilt|ade|old|und|ept|eft|ought|aught|et)"
    r"\s+(?:in|at|on|by|from|to|of|near)\s+"
)
"""A participle that leads to a name: "written in", "made by"."""

_THING = re.compile(
    rf"[\W_]*{ARTICLE}\s+(?:(?!(?:answer|{RELATIVE})\b)[\w-]+\s+){{1,6}}(?:{IS})\s+"
    rf"(?:{_DONE_IN})?(?:{ARTICLE}\s+)?[\"'“*_`]*",
    re.IGNORECASE,
)
_OTHER_THING = re.compile(
    rf"(?i:{TURN})[\s,]+(?P<thing>(?i:{ARTICLE})\s+(?:(?!(?i:answer|{RELATIVE})\b)[\w-]+\s+){{1,6}}?)"
    rf"(?i:{IS})\s+(?i:{_DONE_IN})?(?:(?i:{ARTICLE})\s+)?[\"'“*_`]*(?P<name>{SLOT}|[^\W\d_a-zà-ÿ])"
)
"""Two clauses of one form: "the largest city is Paris", "but the capital is Lyon"."""


def _yields(place: ClauseSlot) -> bool:
    """True if a subject's clause is followed by a contrasting statement."""
    if _TURN.match(place.text_after_clause) and (
        COPULA.search(place.text_after_clause) or _takes_another(place.text_after_clause)
    ):
        return True
    head = place.text[: place.start]
    if _CONCLUDES_OTHER.search(place.text, place.at):
        return True
    if not _VERB.search(head) or SLOT in head or _CALLS_RIGHT.match(place.clause_after):
        return False
    if _OF_IT.match(place.clause_after) and _IS_A_THING.fullmatch(head):
        return False
    return not (NOT.search(head) or CONCEDED.search(head) or _SPEAKER.match(head))


def _takes_another(rest: str) -> bool:
    """True if the rest of a sentence favours another name."""
    found = _TAKES.search(rest)
    return bool(found and found["name"] != SLOT)


_TAKES = re.compile(
    rf"(?:\b(?i:{STAND})|(?<![\w'])(?i:{IS})|['’]s)\s+(?:[a-zà-ÿ]+\s+){{0,2}}[\"'“*_`]*"
    rf"(?P<name>{SLOT}|(?!I\b)[^\W\d_a-zà-ÿ])"
)


def _position(place: ClauseSlot) -> SlotUse:
    """Return answer, subject or complement, unless the text is part of a longer name."""
    before, after = place.clause_before, place.clause_after
    lead = _LEAD.match(before)
    head = before[lead.end() if lead else 0 :].strip(QUOTES)
    if not head:
        return _classify_opening(place)
    is_told_of = _SHORT_HEAD.fullmatch(head) and _VERB_SOON.match(after.lstrip())
    if is_told_of and not ends(after):
        return SlotUse.MENTION
    if head.endswith(",") and ":" in head and is_fragment(f"{before}{SLOT}{after}"):
        return SlotUse.MENTION
    return SlotUse.COMPLEMENT if _fits(place) else SlotUse.MENTION


def _classify_opening(place: ClauseSlot) -> SlotUse:
    """The claim of a slot that opens its clause."""
    before, after = place.clause_before, place.clause_after
    if _APPOSITION.match(after):
        return SlotUse.SUBJECT
    if ends(after) or not after.strip():
        return SlotUse.ANSWER
    nexts = after.lstrip(" \"'”’*_`")
    if place.shape is Shape.SYMBOL or nexts[:1].isupper() or nexts[:1].isdigit():
        return SlotUse.MENTION
    is_told_of = _SHORT_HEAD.fullmatch(before) and not _LABELS.search(before)
    return SlotUse.SUBJECT if _VERB_SOON.match(nexts) and not is_told_of else SlotUse.MENTION


def _fits(place: ClauseSlot) -> bool:
    """True if the words next to the slot are not part of the same name."""
    if _CJK.match(place.clause_before[-1:]) and place.clause_before[-1] not in _CJK_BEFORE:
        return False
    if _name_goes_on(place.clause_after):
        return False
    words = place.clause_before.rstrip(QUOTES).split()
    word = words[-1] if words else ""
    if place.shape is Shape.SYMBOL:
        return _fits_symbol(word, place.clause_after)
    return place.is_marked or _fits_name(word)


def _name_goes_on(after: str) -> bool:
    nexts = after.lstrip(" \t\"'”’*_`")
    if nexts[:1].isdigit() and after[:1] == " ":
        return True
    is_name = nexts[:1].isupper() and nexts[:2].strip() and not re.match(r"(?:I|In)\b", nexts)
    return bool(is_name) and after[:1] not in ".:;,!"


def _fits_symbol(word: str, after: str) -> bool:
    plain = word.rstrip(",:").casefold()
    is_word = word.endswith((":", "=")) or bool(
        _FUNCTION.fullmatch(plain) or _LOWER.fullmatch(plain)
    )
    return is_word and not re.match(r"\s*[^\w\s.,;:!)]", after)


def _fits_name(word: str) -> bool:
    word = word.strip("([{\"'“„«—–")
    if not word or _SEPARATOR.search(word[-1:]):
        return True
    if not word[0].isupper():
        return not word.isdigit()
    plain = word.strip(".").casefold()
    return is_link(plain) or plain.endswith(("ly", "'s", "’s"))


def is_link(word: str) -> bool:
    """True if a word leads to a name without belonging to it: an article, a title, a verb."""
    return bool(_TITLE.fullmatch(word) or _FUNCTION.fullmatch(word))


def concedes(sentence: str) -> bool:
    """True if it reports another opinion or an earlier state, except in a subordinate clause.

    >>> concedes("Many people say Cusco."), concedes("While many say Cusco, it is Lima.")
    (True, False)
    """
    text = strip_marks(sentence)
    opening = _SUBORDINATE.match(text)
    return bool(CONCEDED.search(text[opening.end() :] if opening else text))


def ends(rest: str) -> bool:
    """True if only a remark follows.

    >>> ends(", which lies on the coast"), ends(" Minster")
    (True, False)
    """
    return bool(_TAIL.fullmatch(rest))


def is_fragment(sentence: str) -> bool:
    """True if it is a bare answer: no verb, few words.

    >>> is_fragment("Jane Austen."), is_fragment("It is Jane Austen.")
    (True, False)
    """
    text = strip_marks(sentence).strip()
    is_short = len(text.split()) <= _SHORT and not text.endswith((":", "?"))
    return is_short and not _VERB.search(text)
