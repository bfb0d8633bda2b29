# ruff: noqa: RUF001  the letters of other scripts
"""The verdict of a reply: the yes or no, true or false, that opens or closes it."""

import re
from dataclasses import dataclass

from benchmaker.scoring.extract.discourse import GIVEN_UP
from benchmaker.scoring.extract.marks import strip_marks, unwrap
from benchmaker.scoring.extract.phrases import (
    CONCLUSION,
    CONTRAST,
    HEARSAY,
    HOLDS,
    NAMED_WRONG,
    NOT,
    WRONG,
    is_negative,
)
from benchmaker.scoring.extract.reply import shorten_reply
from benchmaker.scoring.extract.sentences import after_correction, sentences

_YES = (
    "yes", "yeah", "yep", "yup", "true", "correct", "right", "affirmative", "y", "t", "ja",
    "jawohl", "wahr", "richtig", "stimmt", "doch", "oui", "vrai", "si", "exact", "sí",
    "verdadero", "cierto", "correcto", "vero", "corretto", "sim", "verdade", "verdadeiro",
    "certo", "waar", "juist", "tak", "prawda", "да", "верно", "правда", "истина", "نعم",
    "صحيح", "是", "是的", "对", "對", "正确", "真", "はい", "正しい", "真です", "네", "예",
    "참",
)  # fmt: skip
_NO = (
    "no", "nope", "nah", "false", "incorrect", "wrong", "untrue", "negative", "n", "f",
    "nein", "falsch", "unwahr", "non", "faux", "falso", "incorrecto", "falsa", "não",
    "errado", "nee", "onwaar", "onjuist", "nie", "fałsz", "нет", "неверно", "ложь", "لا",
    "خطأ", "不", "不是", "否", "错", "錯", "错误", "假", "不对", "いいえ", "違います", "偽",
    "間違い", "아니요", "아니오", "거짓",
)  # fmt: skip
_WORDS = dict.fromkeys(_NO, False) | dict.fromkeys(_YES, True)
_LETTERS = frozenset("ytnf")
_BY_LENGTH = sorted((it for it in _WORDS if it not in _LETTERS), key=len, reverse=True)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = "|".join(
    re.escape(it) if _CJK.search(it) else rf"(?<![\w'’-]){re.escape(it)}(?![\w'’])"
    for it in _BY_LENGTH
)
_ANY = re.compile(rf"(?:{_WORD})", re.IGNORECASE)
_ADVERB = (
    r"(?:definitely|certainly|absolutely|clearly|probably|most likely|in fact|indeed"
    r"|actually|obviously|simply|partly|mostly|generally|entirely|completely|quite"
    r"|technically|surely|sure|really|almost certainly|most certainly|undoubtedly|sadly"
    r"|unfortunately|alas|apparently|evidently|of course)"
)
_OPENS = re.compile(
    rf"[\W_]*(?:(?:well|so|ok|okay|hmm|oh|the answer|answer|verdict|result|also|donc|therefore"
    rf"|thus|hence|in short|{_ADVERB})[\s,:—–-]+)*"
    rf"(?P<word>{_WORD})(?P<after>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BOTH = re.compile(
    rf"(?:{_WORD})\s*(?:,\s*)?(?:/|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\bo\b|或"
    rf"|和|か)\s*(?:also\s+)?(?:{_WORD})",
    re.IGNORECASE,
)
_IS_VERDICT = re.compile(
    rf"(?:(?<![\w'])(?:is|was|are|be|remains|as|would be|must be|has to be|ist|war|est|c['’]est"
    rf"|es|è|é|são|stimmt|是|は|为|это|a|answers?|with|say|says|think|guess|bet|lean|leaning|vote"
    rf"|sage|dis|therefore|thus|hence|returns|returned|evaluates? to|prints|outputs|yields|gives"
    rf"|results in|so|also|donc|:)|['’]s)"
    rf"\s*[:,]?\s*(?P<deny>not\s+|n['’]t\s+|nicht\s+|pas\s+|not quite\s+|far from\s+"
    rf"|anything but\s+|never\s+|no\s+)?(?:{_ADVERB}\s+)?(?:the\s+"
    rf"|an?\s+(?:(?:resounding|clear|definite|definitive|firm|simple|plain|strong|emphatic)\s+)?)?"
    rf"(?:statement\s+)?[\"'“*_`(]*(?P<word>{_WORD})",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(
    rf"(?:is|was|are|does|ca|wo)n['’]t\s+(?:{_ADVERB}\s+)?[\"'“*_`(]*(?P<word>true|correct"
    rf"|right|false|wrong|incorrect)\b|cannot be (?P<word2>true|false|correct)\b",
    re.IGNORECASE,
)
_NOT_CASE = re.compile(
    r"\b(?:is|it['’]s) not the case\b|\bstimmt (?:so )?nicht\b|\btrifft nicht zu\b"
    r"|\bne(?:\s+est)? pas vrai\b",
    re.IGNORECASE,
)
_BY_NO_MEANS = re.compile(
    rf"[\W_]*(?:(?:no,? )?(?:{_ADVERB}|(?:i['’]m )?afraid|likely|usually)"
    r" not(?! (?:only|just|necessarily)\b)"
    r"|not (?:at all|true|correct|right|really|a chance|in the least|even close|by any means)"
    r"|(?:no,? )?i (?:do not|don['’]t) (?:think|believe|suppose) so(?=\s*(?:[.!,;:—–]|\Z))"
    r"|i (?:think|suppose|believe|fear) not(?=[\s.!]*\Z)"
    r"|by no means|in no way|(?:absolutely )?no (?:way|chance)|(?:under|in) no circumstances"
    r"|far from it|hardly(?=[.!])|never(?=[.!])"
    r"|(?:sicher|gewiss|bestimmt|natürlich|definitiv|absolut|überhaupt|leider"
    r"|ganz (?:sicher|gewiss|bestimmt)) nicht|keineswegs|keinesfalls|mitnichten"
    r"|auf (?:gar )?keinen fall|(?:absolument|certainement|sûrement|vraiment) pas|pas du tout"
    r"|pas vraiment|bien sûr que non|en aucun cas|nullement|en absoluto|para nada"
    r"|de ning[uú]n(?:a manera| modo)|(?:claro|por supuesto|desde luego|seguro) que no"
    r"|certo che no|assolutamente no|per niente|claro que não|zeker niet|конечно нет"
    r")(?!\w)|[\W_]*(?:当然|绝对)不",
    re.IGNORECASE,
)
_SURELY = re.compile(
    r"[\W_]*(?:(?:mais |aber )?(?:(?:yes|oui|ja|sí),? )?(?:absolutely|certainly"
    r"|definitely|of course|indeed|exactly|precisely|naturally|obviously|clearly|undoubtedly"
    r"|surely|sure(?: thing)?|for sure|i (?:think|believe|suppose|guess) so"
    r"|you bet|totally|without (?:a |any )?(?:doubt|question)|(?:there is )?no doubt(?: about it)?"
    r"|natürlich|sicher|gewiss|klar|selbstverständlich|ganz (?:sicher|gewiss|klar)|na klar|genau"
    r"|auf jeden fall|so ist es|bien sûr|bien entendu|évidemment|certainement|absolument"
    r"|tout à fait|exactement|en effet|claro|por supuesto|desde luego|sin duda|efectivamente"
    r"|exacto|así es|claro que sí|certo|certamente|esatto|com certeza|zeker|конечно|当然|没错|沒錯"
    r"|もちろん)(?:です)?)[\W_]*",
    re.IGNORECASE,
)
_VERB = r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must)"
_ELLIPSIS = re.compile(
    rf"[\W_]*(?:(?:and|so|therefore|thus|hence|{_ADVERB})[\s,]+)*(?:(?<=sure )"
    rf"|(?:it|this|that|he|she|they|there)\s+(?:{_ADVERB}\s+)?)(?:"
    rf"(?P<deny>(?:{_VERB}|ca|wo)n['’]t|{_VERB} not|cannot)(?=\s*(?:[.!,;:—–]|\Z))"
    rf"|{_VERB}(?:\s+(?:so|too|{_ADVERB}))?(?=\s*(?:[.!;—–]|,?\s(?:because|since|as)\b|\Z)))",
    re.IGNORECASE,
)
"""A clause without its complement: "It is.", "Indeed it does.", "They aren't: …"."""
_CODE = re.compile(
    r"(?:(?:return|print|echo|puts|console\.log)\b[\s(]*|\w+\s*=\s*)[\"'`]?"
    r"(?P<word>true|false|yes|no)[\"'`]?[\s);]*",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(
    r"\s+(?!(?:it|that|this|there|they|he|she|we|you|i|because|since|as|for|the|a|an|not"
    r")\b)[a-zà-ÿ]",
    re.IGNORECASE,
)
_NO_WORDS = frozenset({"no", "right", "non", "wrong", "correct", "true", "si", "exact", "false"})
_ATTRIBUTE = re.compile(
    r"\s+(?:answer|number|statement|question|that|if|for|in|of|to|only|about|when|enough|way"
    r"|idea|doubt|evidence|claim|love|north|now|away|one|ones|story)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedVerdict:
    """A reply's verdict: true, false, or None for neither or both; with its words."""

    value: bool | None
    text: str


NONE = StatedVerdict(None, "")


def verdict_word(text: str) -> bool | None:
    """The verdict that a whole text is; None where it is anything else.

    >>> verdict_word("Yes."), verdict_word("oui"), verdict_word("I have no idea")
    (True, True, None)
    """
    for plain in unwrap(text):
        word = plain.strip(" .!。！").casefold()
        if word in _WORDS:
            return _WORDS[word]
    return None


def stated_verdict(reply: str, *, is_anchored: bool = False) -> StatedVerdict:
    """The verdict that opens a reply, or else closes it.

    >>> stated_verdict("No. It is true that 2 is prime, but it is the only one.").value
    False
    >>> stated_verdict("Yes and no.").value is None
    True
    """
    reply = shorten_reply(reply)
    if whole := _verdict_of_reply(reply):
        return whole
    found = _statements(after_correction(reply))
    if GIVEN_UP.search(found[-1]) and len(found) == 1:
        return NONE
    if concluded := _verdict_of_conclusion(found):
        return concluded
    if opened := _opening_verdict(found[0]):
        return _unless_turned(opened, found)
    if is_anchored:
        return _closing_verdict(found[0]) or NONE
    closed = next(filter(None, map(_verdict_at_end, reversed(found[-_FEW:]))), None)
    return closed or _assent(reply, found) or NONE


def _assent(reply: str, found: list[str]) -> StatedVerdict | None:
    """Return a yes for a reply that assents and makes one statement: "Absolutely! 17 is prime."."""
    assented = _ASSENTED.match(strip_marks(_ends(reply))) if len(found) == 1 else None
    return StatedVerdict(True, reply.strip()) if assented and not NOT.search(found[0]) else None


_ASSENTED = re.compile(
    r"[\W_]*(?:absolutely|certainly|definitely|indeed|of course|undoubtedly|without a doubt)"
    r"\s*[!,.—–-][\s*_]*(?!(?:i|we|you|let|here|this|that|happy|glad)\b)"
    r"(?:[^\s.,;:!?]+\s+){1,6}?(?:is|are|was|were)\s+(?![^.!?]*(?::|\bbut\b|\bhowever\b))",
    re.IGNORECASE,
)


def _verdict_of_reply(reply: str) -> StatedVerdict | None:
    """The verdict that the reply is, or to which it turns in its last words."""
    whole = verdict_word(reply)
    if whole is not None:
        return StatedVerdict(whole, reply.strip())
    code = _CODE.fullmatch(strip_marks(reply).strip()) if len(reply) < _SHORT else None
    if code is not None:
        return StatedVerdict(_WORDS[code["word"].casefold()], reply.strip())
    turned = _FINAL_TURN.search(reply, max(len(reply) - _NEAR, 0))
    return StatedVerdict(_WORDS[turned["word"].casefold()], turned["word"]) if turned else None


_FEW, _NEAR, _SHORT = 3, 120, 60
_NOT_ALL = r"(?<!thing )(?<!all )"
"""What must not stand before "but": "anything but no" turns to nothing."""
_FINAL_TURN = re.compile(
    rf"[\w.!?,;:…—–-]\s*(?<!\w){_NOT_ALL}(?:{CONTRAST}|so|therefore|thus|hence|actually|wait|sorry|oops|correction"
    r"|scratch that|or rather|on second thoughts?|on reflection|i mean)"
    r"[\s,:.…—–-]+(?:(?:the answer|it|that) is |it['’]s |that['’]s )?"
    rf"(?P<word>{_WORD})[\s.!*_\"']*\Z",
    re.IGNORECASE,
)


def _statements(text: str) -> list[str]:
    """The sentences without their marks; questions among them are left out."""
    found = [strip_marks(it.text).replace("\n", " ") for it in sentences(text)]
    return (
        [it for it in found if not it.rstrip().endswith("?")] or found or [strip_marks(_ends(text))]
    )


def _ends(text: str) -> str:
    return shorten_reply(text, head=1_000, tail=1_000)


def _whole_verdict(sentence: str) -> bool | None:
    return verdict_word(_SO.sub("", sentence))


_SO = re.compile(r"^[\W_]*(?:so|therefore|thus|hence|answer|also|donc)[\s,:]+", re.IGNORECASE)


def _verdict_of_conclusion(found: list[str]) -> StatedVerdict | None:
    """The verdict of a concluding last sentence, where another opens the reply."""
    if len(found) > 1 and CONCLUSION.match(found[-1].strip(" *_")):
        return _verdict_at_end(found[-1])
    return None


def _verdict_at_end(sentence: str) -> StatedVerdict | None:
    """The verdict that a sentence is, or in which it ends."""
    said = _whole_verdict(sentence)
    if said is None and len(sentence) < _SHORT:
        said = _without_word(sentence)
    if said is None:
        said = _verdict_of_last_clause(sentence)
    return _closing_verdict(sentence) if said is None else StatedVerdict(said, sentence)


def _verdict_of_last_clause(sentence: str) -> bool | None:
    """The verdict of a last clause: "It looks prime, but it is not.", "…, so it is not prime."."""
    seeming = _SEEMING.search(sentence)
    if seeming is not None:
        return False
    turn = None
    for turn in _LAST_CLAUSE.finditer(sentence):  # noqa: B007  the last one is wanted
        pass
    return _without_word(sentence[turn.end() :]) if turn else None


_SEEMING = re.compile(
    rf"\b(?:looks?|seems?|appears?|sounds?)\s+(?:to be\s+|like\s+)?(?:an?\s+)?(?P<what>[^\W\d_]+)\b"
    rf".*?\b(?:{CONTRAST}|though)\b.*\b(?:(?:is|are|was|were)\s+(?:not|n['’]t)|(?:is|are|was|were)n['’]t"
    r"|['’]s\s+not)\s+(?:\w+ly\s+)?(?:an?\s+)?(?P=what)\b(?!\s+only)",
    re.IGNORECASE,
)
"""What only seems to be so: "It looks prime, but it is not prime."."""
_LAST_CLAUSE = re.compile(
    rf"[,;:—–]\s*(?:{CONTRAST}|so|therefore|thus|hence)\b[\s,]*"
    r"(?:in (?:reality|fact|truth)[\s,]*)?",
    re.IGNORECASE,
)


def _unless_turned(first: StatedVerdict, found: list[str]) -> StatedVerdict:
    """Return the opening verdict, or a different one alone at the end."""
    last = _whole_verdict(found[-1]) if len(found) > 1 and first.value is not None else None
    return first if last is None or last == first.value else StatedVerdict(last, found[-1])


def _opening_verdict(sentence: str) -> StatedVerdict | None:
    """The verdict with which a sentence begins: "No, it is not"."""
    rest = _BOTH.sub("", sentence)
    if rest != sentence:
        return _verdict_after_both(rest)
    if (short := _without_word(sentence)) is not None:
        return StatedVerdict(short, sentence)
    found = _OPENS.fullmatch(sentence)
    if found is None:
        return None
    word, after = found["word"].casefold(), found["after"]
    if _NAMED.match(after):
        return _verdict_of_mention(word, after)
    if word in _NO_WORDS and (_ATTRIBUTE.match(after) or _is_article(word, after)):
        return None
    return _verdict_after_turn(after, sentence) or StatedVerdict(_WORDS[word], found["word"])


def _verdict_of_mention(word: str, after: str) -> StatedVerdict | None:
    """The verdict of a sentence that only speaks of one: "False would be wrong; it is true."."""
    wrong = _CALLED_WRONG.match(after)
    if wrong is None:
        return None
    rest = after[wrong.end() :]
    return (_closing_verdict(rest) if _ANY.search(rest) else None) or StatedVerdict(
        not _WORDS[word], after
    )


_NAMED = re.compile(
    r"[\s\"'”’*_`]*\s(?:is|was|would be|would have been|seems|sounds|looks|may be|might be"
    r"|could be)\s+"
    r"(?!(?:(?:the|my|your|our|clearly|indeed|definitely|certainly|only|therefore)\s+){0,3}"
    r"(?:right|correct|true|best|answer|final|verdict|case|what (?:i|we)|how (?:i|we))\b)",
    re.IGNORECASE,
)
"""Behind a verdict: what is said of it as a word, but for that it is right."""
_CALLED_WRONG = re.compile(
    rf"[\s\"'”’*_`]*\s(?:is|was|would be|would have been|must be)\s+(?:\w+ly\s+)?(?:an?\s+|the\s+)?"
    rf"(?:{WRONG}|a mistake|an error)\b[^.,;:!—–]*",
    re.IGNORECASE,
)


def _without_word(sentence: str) -> bool | None:
    """The verdict that is put in other words: "By no means.", "Of course.", "Indeed it is."."""
    if _BY_NO_MEANS.match(sentence):
        return False
    if _SURELY.fullmatch(sentence):
        return True
    found = _ELLIPSIS.match(sentence)
    return found["deny"] is None if found else None


def _is_article(word: str, after: str) -> bool:
    """True if *no* or *right* belongs to a noun: "no prime number is even"."""
    return word in {"no", "non", "si", "right", "wrong"} and bool(_NO_NOUN.match(after))


def _verdict_after_turn(after: str, sentence: str) -> StatedVerdict | None:
    """The verdict to which a sentence turns behind its first: none for "yes and no"."""
    if _ALSO.search(after):
        return StatedVerdict(None, sentence)
    found = _TURN.search(after)
    return StatedVerdict(_WORDS[found["word"].casefold()], sentence) if found else None


_ALSO = re.compile(
    rf",?\s*(?:but|and|or|aber|mais)\s+(?:also\s+)?(?:{_WORD})[\s.!]*$", re.IGNORECASE
)
_TURN = re.compile(
    rf"\b{_NOT_ALL}(?:{CONTRAST}|so|therefore|thus)\b[,:]?\s+(?:the answer is |it is |it['’]s )?"
    rf"[\"'*]*(?P<word>{_WORD})[\s.!\"'*]*$",
    re.IGNORECASE,
)


def _verdict_after_both(rest: str) -> StatedVerdict:
    """Return the verdict after both words together, as in "a yes or no: no"."""
    found = list(_ANY.finditer(rest))
    if found and not re.search(r"\w", rest[found[-1].end() :]):
        return StatedVerdict(_WORDS[found[-1][0].casefold()], found[-1][0])
    return StatedVerdict(None, rest)


def _closing_verdict(sentence: str) -> StatedVerdict | None:
    """The verdict in which a sentence ends: "the statement is not true"."""
    if sentence.rstrip().endswith("?"):
        return None
    if _BOTH.search(sentence):
        return _verdict_after_both(_BOTH.sub("", sentence))
    if turned := _TURN.search(sentence):
        return StatedVerdict(_WORDS[turned["word"].casefold()], turned[0])
    if _NOT_CASE.search(sentence):
        return StatedVerdict(False, sentence)
    return _bound_verdict(sentence)


def _bound_verdict(sentence: str) -> StatedVerdict | None:
    """The last verdict that a verb or a mark binds: "is not true", "so: no"."""
    if HEARSAY.search(sentence):
        return None
    if _is_dismissed(sentence):
        return StatedVerdict(None, sentence)
    if found := _last_ending(_CONTRACTED, sentence):
        word = found["word"] or found["word2"]
        return StatedVerdict(not _WORDS[word.casefold()], found[0])
    if found := _last_ending(_IS_VERDICT, sentence):
        is_denied = bool(found["deny"]) or _is_denied(sentence[: found.start("word")])
        said = sentence if is_denied and not found["deny"] else found[0].lstrip(" ,:")
        return StatedVerdict(_WORDS[found["word"].casefold()] != is_denied, said)
    at_end = _END.search(sentence)
    return StatedVerdict(_WORDS[at_end["word"].casefold()], at_end["word"]) if at_end else None


def _is_dismissed(sentence: str) -> bool:
    """True if a verdict is mentioned as possible but wrong: "You could say no, but …"."""
    possible = _POSSIBLE.search(sentence)
    against = _AGAINST.search(sentence, possible.end()) if possible else None
    return bool(against and _FALSE.search(sentence, against.end()))


_POSSIBLE = re.compile(
    r"\b(?:could|might|may|can|tempt(?:ed|ing) to)\s+(?:\w+\s+)?"
    r"(?:say|answer|think|claim|argue|guess)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(rf"\b(?:{CONTRAST})\b", re.IGNORECASE)
_FALSE = re.compile(rf"\b(?:{WRONG}|not (?:true|right|correct))\b", re.IGNORECASE)


def _last_ending(pattern: re.Pattern[str], sentence: str) -> re.Match[str] | None:
    """The last match behind which the clause ends."""
    at, last = 0, None
    while (found := pattern.search(sentence, at)) is not None:
        last = found if _ENDS.match(sentence, found.end()) else last
        at = found.start() + 1
    return last


_ENDS = re.compile(
    r"(?!\s*,?\s*(?:that|enough)\b)[\s\"'”’*_`)]*(?:[.!,;:—–(]|$|(?:statement|claim|assertion"
    r"|proposition|because|since|as|for|in|here|from|by|due|that is|and|but|です|であ|。)(?!\w))"
)


def _is_denied(before: str) -> bool:
    """True if the clause before a verdict denies it."""
    if NAMED_WRONG.search(before):
        return True
    clause = re.split(r"[,;:—–]", before)[-1]
    is_relative = re.search(r"\b(?:that|which|who)\b", _HELD_THAT.sub(" ", clause))
    return not is_relative and is_negative(clause)


_HELD_THAT = re.compile(rf"\b(?:{HOLDS})\s+that\b", re.IGNORECASE)
_END = re.compile(
    rf"(?:[,:;—–]|\bso\b|\btherefore\b|\bthus\b|\bhence\b|->|=>"
    rf"|→)\s*[\"'“*_`(]*(?P<word>{_WORD})[\W_]*\Z",
    re.IGNORECASE,
)


def last_verdict(text: str) -> str | None:
    """The last word of a text that is a verdict.

    >>> last_verdict("Yes. No, wait: it is true")
    'true'
    """
    found = [it[0] for it in _ANY.finditer(text)]
    return found[-1] if found else None
