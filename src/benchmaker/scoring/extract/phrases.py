# ruff: noqa: RUF001  the letters of other scripts
"""Phrases with which replies state, deny, correct and conclude, in several languages.

Each constant is a fragment of a regular expression or a compiled one, for texts in any case.
Languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Arabic,
Chinese, Japanese and Korean, as far as a label or a copula goes; sentences are read most closely
in the first four.
"""

import re

from benchmaker.scoring.extract.cues import Cue

ANSWER_WORDS = (
    "answer", "antwort", "lösung", "ergebnis", "réponse", "reponse", "résultat", "resultat",
    "respuesta", "solución", "resultado", "risposta", "risultato", "soluzione", "resposta",
    "antwoord", "odpowiedź", "ответ", "الإجابة", "الجواب", "答案", "答え", "答", "回答",
    "정답", "답",
)  # fmt: skip
"""The word *answer*; of other languages also *result* and *solution*."""

RESULT_WORDS = ("result", "conclusion", "verdict", "final choice")
"""English words that label an answer only where a line begins with them."""

ANSWER, RESULT = "|".join(ANSWER_WORDS), "|".join((*RESULT_WORDS, "final verdict", "final result"))

IS = (
    r"is|are|was|were|would be|must be|should be|will be|has to be|can only be|equals"
    r"|ist|sind|war|lautet|heißt|wäre|beträgt|est|sont|était|serait|es|son|era|sería|è|é|são|foi"
    r"|jest|это|هو|هي"
)
"""Forms of *to be* that bind an answer."""

ARTICLE = (
    r"(?:the|an?|der|die|das|den|dem|ein|eine|le|la|les|un|une|el|los|il|lo|l['’]|o|os|as|de|het)"
)
"""Articles, and prepositions that stand before names as articles do."""

ARROW = (
    r"→|⇒|⟶|⟹|⟼|↦|➔|➙|➛|➜|➝|➞|➡|--*>|==*>"
    r"|\\(?:to|implies|mapsto|(?:long)?(?:r|R)ightarrow)(?![a-zA-Z])"
)
"""Arrows that lead to a result, each by its first character."""

CONCLUSION = re.compile(
    r"\s*(?:and\s+)?(?:so|thus|therefore|hence|in short|in conclusion|in summary|to summari[sz]e"
    r"|to conclude|to sum up|summary|overall|altogether|finally|consequently|accordingly"
    r"|conclusion"
    r"|this means|that means|which means|this gives|that gives|this leaves|that leaves|final"
    r"|in total|in the end|in other words|it follows|we (?:get|have|find|conclude|obtain)"
    r"|bottom line"
    r"|tl;?dr|also|somit|daher|folglich|kurz(?:um)?|insgesamt|donc|ainsi|en résumé|bref"
    r"|por lo tanto"
    r"|así que|por tanto|en resumen|entonces|quindi|dunque|portanto|logo|dus|zatem|итак|значит"
    r"|поэтому|所以|因此|总之|よって|したがって|つまり|따라서|إذن|لذلك)(?![\w'])",
    re.IGNORECASE,
)
"""Openings of a concluding sentence."""

CONTRAST = (
    r"but|however|yet|instead|rather|sondern|aber|jedoch|mais|cependant"
    r"|sino|pero|sin embargo|ma|bensì|mas|maar|ale|lecz|но|а"
)
"""Words between two clauses of which the second corrects or limits the first."""

TURN = rf"(?:[;:—–]|,)?\s*\b(?:{CONTRAST})\b(?!\s+(?:than|of)\b)"
"""Such a word and the mark before it; "rather than" turns nothing."""

INSTEAD = r"\b(?:but|sondern|mais|sino)\b|而是|ではなく|→|⇒|[=-]>"
"""Words and arrows that set something in the place of what is denied before them."""

CONCESSION = (
    r"although|though|even though|even if|whereas|while|albeit|obwohl|während|wenngleich"
    r"|bien que|alors que|même si|aunque|mientras que|sebbene|embora|虽然|尽管"
)
"""Words after which a clause limits the one beside it and decides nothing."""

CONCEDING = rf"\b(?:{CONCESSION})\b[^,;.]*$"
"""Matches a text that ends in such a clause."""

REASON = (
    r"because|since|as|for|denn|weil|da|car|parce que|puisque|porque|pues|ya que|perché"
    r"|poiché|omdat|потому что|因为|因為"
)
"""Words that begin a reason."""

TOTAL = Cue(
    (
        r"\b(?:altogether|in total|in all|total|overall|left|remain(?:s|ing)?|insgesamt|zusammen"
        r"|übrig|au total|en tout|en total|in totale)\b|一共|总共|合計|全部"
    ),
    (
        "altogether",
        "in total",
        "in all",
        "total",
        "overall",
        "left",
        "remain",
        "insgesamt",
        "zusammen",
        "übrig",
        "en tout",
        "共",
        "合計",
        "全部",
    ),
)
"""Words beside the number that is the whole or the rest."""

RELATIVE = (
    r"who|whom|whose|which|where|der|die|das|dem|den|dessen|deren|welcher|qui|que|dont|où|lequel"
    r"|quien|cuyo|cuya|donde|che|cui|dove|onde|cujo|waar|który|która|которого|который|которая"
)
"""Words that begin a relative clause."""

YIELDS = (
    r"means?|makes?|gives?|leaves?|leaving|yields?|called|named|known as|heißt|genannt"
    r"|s['’]appelle|llamad[oa]|se llama"
)
"""Verbs by which a relative clause names its result."""

BESIDE = r"with|of|to|than|near|from|like|beside|next|mit|von|zu|neben|avec|près|con|cerca"
"""Prepositions after which something beside the answer is named."""

NOTHING = (
    r"no|none|nothing|nobody|no one|kein\w*|nichts|aucune?|rien|ning[uú]na?|ningún|nada|nessuna?"
)
"""Words that make a comparison a superlative: "none is smaller than"."""

IT_IS = (
    r"it is|it['’]s|es handelt sich um|il s['’]agit d(?:e|['’])|se trata de(?:l)?|si tratta di"
    r"|trata-se de|het gaat om|это|to jest|here it is"
)
"""Phrases that point to the answer."""

VERBS = (
    r"said|says?|think|thought|wrote|won|became|fell|ran|led|held|built|made|gave|took|came"
    r"|went|got|began|sang|drew|grew|found|spoke|broke|lay|stood|sat|put|cut"
    r"|believe|guess|know|knew|want|need|use|run|try|choose|pick|see|liegt|schrieb|écrit|escribió"
)
"""Verbs that no ending tells."""

HOLDS = (
    r"think|believe|say|says|said|claim\w*|suppose|guess|argu\w+|conclude|assume|suspect|accept"
    r"|agree|feel|mean|imagine|expect|swear|bet|maintain|see (?:how|why)|case|true|right|correct"
    r"|convinced|sure|certain|likely|possible|plausible|clear|doubt\w*|den(?:y|ies|ied)|disagree"
    r"|unlikely|impossible|untrue|glaube|denke|meine|sage|stimmt|bezweifle|pense|crois|dirais|vrai"
    r"|doute|creo|pienso|diría|cierto|verdad|dudo"
)
"""Phrases that introduce a belief or doubt: "I think that", "it is likely that"."""

NOT = Cue(
    (
        r"(?<![\w'])(?:not|never|neither|nor|cannot|nobody|no[ -]one|without|no longer|hardly|n't"
        r"|isnt|doubt(?:s|ed|ful)?|den(?:y|ies|ied)|disagrees?|unlikely|impossible|untrue|bezweifle"
        r"|doute|dudo|few (?:people )?(?:would|will|can)"
        r"|(?:wrong|incorrect|false|inaccurate|misleading|absurd|mistaken|an? (?:mistake|error))"
        r" to (?:say|answer|think|claim|choose|pick|assume|believe|conclude|call|name|suppose)"
        r"|nicht|kein"
        r"|keine[nrms]?|weder|niemals|pas|jamais|ni|nunca|jamás|non|mai|não|niet|geen|nie|не|нет"
        r"|ليس|ليست"
        r"|nein)(?![\w'])|n[’']t\b|\bno(?= es| son| era| fue)|不是|并非|并不|而非|不在"
        r"|不选|不選|别选|沒|没|не является"
        r"|(?<!\w)아니"
    ),
    (
        "no",
        "n't",
        "n’t",
        "never",
        "neither",
        "without",
        "hardly",
        "isnt",
        "dou",
        "deny",
        "denie",
        "disagree",
        "unlikely",
        "imposs",
        "untrue",
        "bezweif",
        "dudo",
        "few ",
        "wrong",
        "incorrect",
        "false",
        "inaccurate",
        "misleading",
        "absurd",
        "mistake",
        "error",
        "kein",
        "ni",
        "weder",
        "pas",
        "jamais",
        "jamás",
        "nunca",
        "mai",
        "não",
        "nein",
        "geen",
        "не",
        "ليس",
        "不",
        "并非",
        "而非",
        "别",
        "沒",
        "没",
        "아니",
    ),
)
"""Words that deny what follows in their clause."""

_CORRELATIVE = frozenset({"nor", "ni"})


def is_negative(clause: str) -> bool:
    """True if a clause denies what follows it; *nor* after another denial continues it.

    >>> is_negative("neither Cusco nor "), is_negative("I don't doubt that it's ")
    (True, False)
    """
    if not NOT.may_hold(clause):
        return False
    found = [it.lower() for it in NOT.findall(clause)]
    return sum(it not in _CORRELATIVE for it in found[1:]) % 2 == 0 if found else False


NOT_A_DENIAL = Cue(
    (
        r"\b(?:not only|(?:no|little) doubt|without (?:a |any )?(?:doubt|question)"
        r"|not surprising(?:ly)?|why not"
        r"|not just|can(?:not|['’]t) be (?:anything|any)(?:thing)? (?:but|other than)"
        r"|not to mention"
        r"|none other than|no other than|no one (?:else |other )?(?:but|than)|nothing but"
        r"|nothing other than"
        r"|if (?:i(?:['’]m| am) not mistaken|memory)|not (?:too )?hard|not difficult"
        r"|cannot be wrong|can(?:not|['’]t) go wrong"
        r"|is not a (?:hard|difficult|trick) question|nicht nur|non seulement|no sólo|no solo"
        r"|wenn ich mich nicht irre|si no me equivoco|si je ne me trompe(?: pas)?|sin duda"
        r"|ohne zweifel"
        r"|sans (?:aucun )?doute|senza dubbio|sem dúvida)\b"
    ),
    (
        "no",
        "little",
        "can't",
        "can’t",
        "without",
        "mistaken",
        "memory",
        "nicht",
        "sin duda",
        "ohne",
        "senza",
        "sem d",
        "sans",
        "si je ne",
    ),
)
"""Turns of phrase that hold such a word and deny nothing."""

WRONG = (
    r"wrong|incorrect|false|erroneous|mistaken|bogus|invalid|inaccurate|falsche[rns]?|fausse"
    r"|incorrecta|equivocada"
)
"""Adjectives that call an answer wrong."""

_REJECTED = r"ruled out|excluded|eliminated|discarded|dismissed|rejected|disqualified|crossed out"
_TRAP = r"distractor|decoy|red herring|trap"

HEARSAY = Cue(
    (r"\b(?:(?:(?:most|many|some|lots of|plenty of|a lot of|other) )?(?:people|others|students"
        r"|folks|textbooks|readers|users|fans|tourists|visitors|beginners|kids|children)"
        r"|most|many|some|everyone|everybody|you (?:might|may)|one (?:might|may)"
        r"|(?:viele|manche|die meisten) (?:leute|menschen)|beaucoup|mucha gente)"
        r" (?:(?:often|usually|would|will|might|may|tend to|wrongly|mistakenly|falsely"
        r"|still) ){0,2}"
        r"(?:says?|thinks?|believes?|guess(?:es)?|assumes?|answers?|repl(?:y|ies)|names?|claims?|expects?|supposes?"
        r"|imagines?|picks?|sagen|glauben|denken|disent|pensent|dice|cree)\b"
        r"(?!.*\b(?:rightly|right|correct(?:ly)?|agree|me too|so do i)\b)"),
    ("people", "other", "student", "folks", "textbook", "readers", "users", "fans", "tourist",
     "visitor", "beginner", "kids", "child", "most", "many", "some", "every", "you m",
     "one m", "viele", "manche", "meisten", "beaucoup", "mucha"),
)  # fmt: skip
"""Mentions of other people's claims that the reply does not confirm."""

NAMED_WRONG = Cue(
    (rf"(?:\b(?:{WRONG})\s+(?:(?:but|and)\s+\w+\s+)?(?:answer|guess|response|reply|choice|solution"
        r"|result|one|option|statement|alternative|candidate|antwort|réponse|respuesta)s?\b"
        r"|\b(?:common|commonest|frequent|typical|usual|popular|classic|widespread|easy)\s+(?:\w+\s+)?"
        r"(?:mistake|error|misconception|slip|trap|confusion|myth|fallacy|pitfall)s?\b"
        rf"|\b(?:{_TRAP})s?\b)[^.!?;,:\n]{{0,60}}?(?:(?<![\w'])(?:{IS})(?![\w'])|:)[^.!?;,:\n]*\Z"
        rf"|\A\W*(?:{WRONG})\s*:\s*(?:the\s+)?[\"'“*_`]*\Z"),
    (
        "wrong", "incorrect", "false", "erron", "mistake", "bogus", "invalid", "inaccur", "falsch",
        "fausse", "equivoc", "common", "frequent", "typical", "usual", "popular", "classic",
        "widespread", "easy", "distractor", "decoy", "herring", "trap",
    ),
)  # fmt: skip
"""Phrases that call the words after them wrong: "a common wrong answer is"."""

DENIED_AFTER = re.compile(
    rf"[\s\"'”’*_`)]*(?:(?:(?:can|could|should|must|may|might) (?:\w+ )?be|(?:has|have) been)"
    rf" (?:\w+ly )?(?:{_REJECTED})\b"
    rf"|(?:is|was|would be) (?:an? (?:\w+ )?(?:{_TRAP})\b|\w+,? but (?:{WRONG})\b)"
    r"|(?:is|was|are|were|does|did|do|has|have|would|will|can|could|should|must|ist|war"
    r"|n[’']?est|est|es|è|é)\s*(?:(?:es|er|sie|das|it|he|she)\s+)?(?:certainly|definitely|actually|really|also|clearly|,)?\s*"
    r"(?:not\b|never\b|n[’']t\b|nicht\b|kein\w*\b|pas\b|falsch\b|faux\b|fausse\b|wrong\b"
    r"|incorrect\b"
    r"|false\b|ruled out|out of the question|a (?:common )?(?:mistake|misconception|wrong)"
    r"|excluded)"
    r"|isn[’']?t|wasn[’']?t|aren[’']?t|doesn[’']?t|didn[’']?t|can[’']?t|cannot|won[’']?t"
    r"|wouldn[’']?t"
    r"|no (?:es|era|fue)\b|non è|não é|не\b|değil\b|(?:would|could|might) be (?:wrong|incorrect"
    r"|a mistake)"
    r"|(?:では|じゃ)(?:ない|ありません|なく)|不是|不对|は(?:違|間違)|가 아니|이 아니|\?)",
    re.IGNORECASE,
)
"""Phrases that deny the words directly before them."""

RUNNER_UP = re.compile(
    r"[\s\"'”’*_`)]*(?:(?:is|was|comes?|came|would be|ranks?|as|ist|est|es)\s+(?:in\s+)?"
    r"|[,(:—–-]\s*)"
    r"(?:only\s+|just\s+)?(?:(?:an?|the|my)\s+)?(?:close\s+|distant\s+)?(?:runner[- ]up\b"
    r"|next[- ]best\b|(?:second|third)(?:[- ](?:best|choice|place|to(?! none)|after|behind)\b"
    r"|(?=\s*(?:[.,;)!]|\Z))))",
    re.IGNORECASE,
)
"""Phrases that rank the words before them second."""

ELSE = Cue(
    (r"\b(?:(?:anything|everything|all) (?:but|except)|least of all"
    r"|formerly|previously|than|unlike|compared (?:to|with)|confused? with|mistak\w+ for|instead of"
    r"|rather than"
    r"|apart from|except(?: for)?|other than|as opposed to|similar to|different from"
    r"|(?:anders|mehr|weniger|\w+er) als|statt"
    r"|anstatt|plutôt que|au lieu d\w*|en lugar de|en vez de|excludes?|excluding|rules? out"
    r"|ruling out"
    r"|ruled out|rejects?|rejecting|besides|contrary to)\b(?:\s+(?:the|a|an|der|die|das|la|le"
    r"|el))?\s*$"),
    (
        "thing", "all", "formerly", "previously", "than", "unlike", "compared", "confuse", "mistak",
        "instead", "apart", "except", "other", "opposed", "similar", "different", "als", "statt",
        "plutôt", "au lieu", "en lugar", "en vez", "exclud", "rule", "ruling", "reject", "besides",
        "contrary",
    ),
)  # fmt: skip
"""Words after which something else is named for comparison."""

OR = (
    r"or|oder|ou|or else|oder auch|o bien|oppure|lub|albo|или|أو|或者?|还是"
    r"|または|それとも|あるいは"
    r"|또는"
    r"|vs\.?|versus"
)
AND = r"and|und|et|y|e|oraz|и|和|与|と|및|as well as|plus|&"

STAND = (
    r"(?:(?:['’]m|am) )?(?:go(?:ing)?|went|stick(?:ing)?) with|settl(?:e|ed|ing) (?:on|for)"
    r"|pick(?:ing|ed)?|choos(?:e|ing)|chose|switch(?:ing|ed)? to|opt(?:ing|ed)? for|vote for|bet on"
    r"|nehme|wähle|choisis|opte pour|elijo|me quedo con|scelgo"
)
"""Verbs by which a speaker takes the side of an answer."""

CONCEDED = Cue(
    (
        r"\b(?:people|some|someone|somebody|others|many|most (?:of us|people)"
        r"|(?:a lot|lots|plenty) of|often|sometimes|commonly|at first|at first glance"
        r"|might (?:think|say|guess|assume|seem)|may (?:think|say|guess|assume|seem|look)"
        r"|one (?:might|may"
        r"|could|would) |you (?:might|may|could|would) |thought|assum\w+|mistak\w+|misconception"
        r"|popular"
        r"|used to|formerly|former|was once|once was|would (?:think|say|guess)|tempting"
        r"|was (?:going|about|tempted) to|(?:would|['’]d) have (?:said|guessed|thought|picked)"
        r"|almost said"
        r"|seems?|looks?"
        r"|appears?|historically|until \d+|first (?:thought|guess|idea|instinct)|initially"
        r"|originally"
        r"|viele|manche|oft|früher|certains|souvent|muchos|algunos|antes)\b"
    ),
    (
        "people",
        "some",
        "other",
        "many",
        "most",
        "lot",
        "plenty",
        "often",
        "common",
        "first",
        "might",
        "may",
        "one ",
        "you ",
        "thought",
        "assum",
        "mistak",
        "misconc",
        "popular",
        "used to",
        "former",
        "once",
        "would",
        "tempting",
        "going to",
        "about to",
        "tempted to",
        "have said",
        "have guessed",
        "have thought",
        "have picked",
        "almost",
        "seem",
        "look",
        "appear",
        "histor",
        "until",
        "initial",
        "origin",
        "viele",
        "manche",
        "oft",
        "früher",
        "certains",
        "souvent",
        "muchos",
        "algunos",
        "antes",
    ),
)
"""Signs that a clause reports another opinion or an earlier state."""
