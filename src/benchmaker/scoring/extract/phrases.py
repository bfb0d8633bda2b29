# ruff: noqa: RUF001  the letters of other scripts
"""Words by which replies state, deny, correct and conclude, in several languages.

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
"""How a concluding sentence begins."""

CONTRAST = (
    r"but|however|yet|instead|rather|sondern|aber|jedoch|mais|cependant"
    r"|sino|pero|sin embargo|ma|bensì|mas|maar|ale|lecz|но|а"
)
"""Words between two clauses of which the second corrects or limits the first."""

CONCESSION = (
    r"although|though|even though|even if|whereas|while|albeit|obwohl|während|wenngleich"
    r"|bien que|alors que|même si|aunque|mientras que|sebbene|embora|虽然|尽管"
)
"""Words after which a clause limits the one beside it and decides nothing."""

REASON = (
    r"because|since|as|for|denn|weil|da|car|parce que|puisque|porque|pues|ya que|perché"
    r"|poiché|omdat|потому что|因为|因為"
)
"""Words that begin a reason."""

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
"""What makes a comparison a superlative: "none is smaller than"."""

IT_IS = (
    r"it is|it['’]s|es handelt sich um|il s['’]agit d(?:e|['’])|se trata de(?:l)?|si tratta di"
    r"|trata-se de|het gaat om|это|to jest|here it is"
)
"""How a sentence points to the thing that was asked for."""

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
"""Words after which a clause says what is held or doubted: "I think that", "it is likely that"."""

NOT = Cue(
    re.compile(
        r"(?<![\w'])(?:not|never|neither|nor|cannot|nobody|no[ -]one|without|no longer|hardly|n't"
        r"|isnt|doubt(?:s|ed|ful)?|den(?:y|ies|ied)|disagrees?|unlikely|impossible|untrue|bezweifle"
        r"|doute|dudo|few (?:people )?(?:would|will|can)"
        r"|(?:wrong|incorrect|false|inaccurate|misleading|absurd|mistaken|an? (?:mistake|error))"
        r" to (?:say|answer|think|claim|choose|pick|assume|believe|conclude|call|name|suppose)"
        r"|nicht|kein"
        r"|keine[nrms]?|weder|niemals|pas|jamais|ni|nunca|jamás|non|mai|não|niet|geen|nie|не|нет"
        r"|ليس|ليست"
        r"|nein)(?![\w'])|n[’']t\b|\bno(?= es| son| era| fue)|不是|并非|并不|而非|不在"
        r"|沒|没|не является"
        r"|(?<!\w)아니",
        re.IGNORECASE,
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
        " to ",
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
        "沒",
        "没",
        "아니",
    ),
)
"""Words that deny what follows in their clause."""

_CORRELATIVE = frozenset({"nor", "ni"})


def is_negative(clause: str) -> bool:
    """Whether a clause denies what follows it; *nor* behind another denial goes on with that one.

    >>> is_negative("neither Cusco nor "), is_negative("I don't doubt that it's ")
    (True, False)
    """
    if not NOT.may_hold(clause):
        return False
    found = [it.lower() for it in NOT.findall(clause)]
    return sum(it not in _CORRELATIVE for it in found[1:]) % 2 == 0 if found else False


NOT_A_DENIAL = Cue(
    re.compile(
        r"\b(?:not only|(?:no|little) doubt|without (?:a |any )?(?:doubt|question)"
        r"|not surprising(?:ly)?|why not"
        r"|not just|can(?:not|['’]t) be (?:anything|any)(?:thing)? (?:but|other than)"
        r"|not to mention"
        r"|none other than|no other than|no one (?:else |other )?(?:but|than)|nothing but"
        r"|nothing other than"
        r"|if (?:i(?:['’]m| am) not mistaken|memory)|not (?:too )?hard|not difficult"
        r"|cannot be wrong"
        r"|is not a (?:hard|difficult|trick) question|nicht nur|non seulement|no sólo|no solo"
        r"|wenn ich mich nicht irre|si no me equivoco|si je ne me trompe(?: pas)?|sin duda"
        r"|ohne zweifel"
        r"|sans (?:aucun )?doute|senza dubbio|sem dúvida)\b",
        re.IGNORECASE,
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

_WRONG = (
    r"wrong|incorrect|false|erroneous|mistaken|bogus|invalid|inaccurate|falsche[rns]?|fausse"
    r"|incorrecta|equivocada"
)
_REJECTED = r"ruled out|excluded|eliminated|discarded|dismissed|rejected|disqualified|crossed out"
_TRAP = r"distractor|decoy|red herring|trap"

HEARSAY = Cue(
    re.compile(
        r"\b(?:(?:(?:most|many|some|lots of|plenty of|a lot of|other) )?(?:people|others|students"
        r"|folks|textbooks)|most|many|some|everyone|everybody|you (?:might|may)|one (?:might|may)"
        r"|(?:viele|manche|die meisten) (?:leute|menschen)|beaucoup|mucha gente)"
        r" (?:(?:often|usually|would|will|might|may|tend to|wrongly|mistakenly|falsely"
        r"|still) ){0,2}"
        r"(?:says?|thinks?|believes?|guess(?:es)?|assumes?|answers?|claims?|expects?|supposes?"
        r"|imagines?|picks?|sagen|glauben|denken|disent|pensent|dice|cree)\b"
        r"(?!.*\b(?:rightly|right|correct(?:ly)?|agree|me too|so do i)\b)",
        re.IGNORECASE,
    ),
    ("people", "other", "student", "folks", "textbook", "most", "many", "some", "every", "you m",
     "one m", "viele", "manche", "meisten", "beaucoup", "mucha"),
)  # fmt: skip
"""Who says what follows: others, of whom the reply does not say that they are right."""

NAMED_WRONG = Cue(
    re.compile(
        rf"(?:\b(?:{_WRONG})\s+(?:(?:but|and)\s+\w+\s+)?(?:answer|guess|response|reply|choice|solution"
        r"|result|antwort|réponse|respuesta)s?\b"
        r"|\b(?:common|commonest|frequent|typical|usual|popular|classic|widespread|easy)\s+(?:\w+\s+)?"
        r"(?:mistake|error|misconception|slip|trap|confusion|myth|fallacy|pitfall)s?\b"
        rf"|\b(?:{_TRAP})s?\b)[^.!?;,:\n]{{0,60}}?(?:(?<![\w'])(?:{IS})(?![\w'])|:)[^.!?;,:\n]*\Z"
        rf"|\A\W*(?:{_WRONG})\s*:\s*(?:the\s+)?[\"'“*_`]*\Z",
        re.IGNORECASE,
    ),
    (
        "wrong", "incorrect", "false", "erron", "mistake", "bogus", "invalid", "inaccur", "falsch",
        "fausse", "equivoc", "common", "frequent", "typical", "usual", "popular", "classic",
        "widespread", "easy", "distractor", "decoy", "herring", "trap",
    ),
)  # fmt: skip
"""What calls the words wrong that stand behind it: "a common wrong answer is"."""

DENIED_AFTER = re.compile(
    rf"[\s\"'”’*_`)]*(?:(?:(?:can|could|should|must|may|might) (?:\w+ )?be|(?:has|have) been)"
    rf" (?:\w+ly )?(?:{_REJECTED})\b"
    rf"|(?:is|was|would be) (?:an? (?:\w+ )?(?:{_TRAP})\b|\w+,? but (?:{_WRONG})\b)"
    r"|(?:is|was|are|were|does|did|do|has|have|would|will|can|could|should|must|ist|war"
    r"|n[’']?est|est|es|è|é)\s*(?:(?:es|er|sie|das|it|he|she)\s+)?(?:certainly|definitely|actually|really|also|clearly|,)?\s*"
    r"(?:not\b|never\b|n[’']t\b|nicht\b|kein\w*\b|pas\b|falsch\b|faux\b|fausse\b|wrong\b"
    r"|incorrect\b"
    r"|false\b|ruled out|out of the question|a (?:common )?(?:mistake|misconception|wrong)"
    r"|excluded)"
    r"|isn[’']?t|wasn[’']?t|aren[’']?t|doesn[’']?t|didn[’']?t|can[’']?t|cannot|won[’']?t"
    r"|wouldn[’']?t"
    r"|no (?:es|era|fue)\b|non è|não é|не\b|(?:would|could|might) be (?:wrong|incorrect"
    r"|a mistake)"
    r"|(?:では|じゃ)(?:ない|ありません|なく)|不是|不对|は(?:違|間違)|가 아니|이 아니|\?)",
    re.IGNORECASE,
)
"""What denies the words that stand directly before it."""

ELSE = re.compile(
    r"\b(?:(?:anything|everything|all) (?:but|except)|least of all"
    r"|formerly|previously|than|unlike|compared (?:to|with)|confused? with|mistak\w+ for|instead of"
    r"|rather than"
    r"|apart from|except(?: for)?|other than|as opposed to|similar to|different from"
    r"|anders als|statt"
    r"|anstatt|plutôt que|au lieu d\w*|en lugar de|en vez de|excludes?|excluding|rules? out"
    r"|ruling out"
    r"|ruled out|rejects?|rejecting|besides|contrary to)\b(?:\s+(?:the|a|an|der|die|das|la|le"
    r"|el))?\s*$",
    re.IGNORECASE,
)
"""Words after which something else is named for comparison."""

OR = (
    r"or|oder|ou|or else|oder auch|o bien|oppure|lub|albo|или|أو|或者?|还是"
    r"|または|それとも|あるいは"
    r"|또는"
    r"|vs\.?|versus"
)
AND = r"and|und|et|y|e|oraz|и|和|与|と|및|as well as|plus|&"

CONCEDED = Cue(
    re.compile(
        r"\b(?:people|some|someone|somebody|others|many|most (?:of us|people)|often|sometimes"
        r"|commonly|at first|at first glance"
        r"|might (?:think|say|guess|assume|seem)|may (?:think|say|guess|assume|seem|look)"
        r"|one (?:might|may"
        r"|could|would) |you (?:might|may|could|would) |thought|assum\w+|mistak\w+|misconception"
        r"|popular"
        r"|used to|formerly|former|was once|once was|would (?:think|say|guess)|tempting"
        r"|seems?|looks?"
        r"|appears?|historically|until \d+|first (?:thought|guess|idea|instinct)|initially"
        r"|originally"
        r"|viele|manche|oft|früher|certains|souvent|muchos|algunos|antes)\b",
        re.IGNORECASE,
    ),
    (
        "people",
        "some",
        "other",
        "many",
        "most",
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

CORRECTION = Cue(
    re.compile(
        r"(?:(?<=[.!?…\n)—–])|(?<=\.\*\*)|\A|(?:(?<=,)|(?<=\s-))(?=\s*(?:(?:oh|hmm+|ah|no)[\s,]+)*"
        r"(?:wait|sorry|oops|hold on|scratch that|correction|on second thought|or rather|i mean"
        r"|i misspoke|i made)\b))[\s*_>—–(,-]*(?:(?:oh|hmm+|ah|no|oops|hold on"
        r"|sorry)[\s,.!…—-]+)*"
        r"(?:wait\b(?! (?:for|until|time|\d))|hold on\b|oops\b|correction\b|scratch that\b"
        r"|strike that\b|on second thought"
        r"|let me (?:correct|fix|redo|recheck|re-check|recompute|recalculate|reconsider"
        r"|re-evaluate|rethink)"
        r"|i (?:made|have made|see) (?:a|an|my|the) (?:mistake|error|slip)|i (?:mis\w+)\b"
        r"|i(?:['’]m| am|['’]ve| have| was)? (?:wrong|mistaken|made a mistake)\b"
        r"|(?:no|sorry|apologies|excuse me|pardon|my mistake)[,:;—–-]+\s*(?:that|this|it|i"
        r"|the|my)\b"
        r"|(?:that|this|it)(?:['’]s| is| was)(?: not| n[’']t)? (?:wrong|incorrect|not right"
        r"|a mistake|an error|right|correct)"
        r"(?=[.!,;:—–])|my mistake\b|i meant\b|actually,? (?:no|it|that|the answer|the correct"
        r"|i)\b|rather:"
        r"|moment\b|halt\b|korrektur\b|das (?:ist|war|stimmt) (?:falsch|nicht)|ich korrigiere"
        r"|attends?\b"
        r"|correction\b|je me corrige|non, attend|espera\b|perdón\b|corrección\b|me corrijo"
        r"|(?:sorry|apologies|edit(?:ed)?|update|erratum|or rather|i mean)\s*[,:;—–-]"
        r"|on (?:second thoughts?|(?:further |closer )?(?:reflection|inspection|consideration))"
        r"|(?<=\.\.)no,|(?<=\.\. )no,|(?<=[…—–])no,|(?<=[…—–] )no,"
        r"|(?:no|actually)[,:](?=\s+[^\s.!?,]+(?: [^\s.!?,]+)?[.!]?\s*\Z)"
        r"|等等|等一下"
        r"|不对|更正|待って|訂正)",
        re.IGNORECASE,
    ),
    (
        "wait",
        "hold on",
        "oops",
        "correct",
        "scratch",
        "strike",
        "second thought",
        "let me",
        "mistake",
        "error",
        "slip",
        "wrong",
        "right",
        "no,",
        "no:",
        "no;",
        "no-",
        "no—",
        "no–",
        "sorry",
        "apolog",
        "pardon",
        "excuse",
        "i m",
        "meant",
        "actually",
        "rather",
        "edit",
        "update",
        "errat",
        "reflection",
        "inspection",
        "consideration",
        "i mis",
        "moment",
        "halt",
        "korr",
        "corr",
        "das ",
        "attend",
        "espera",
        "perd",
        "je me",
        "等",
        "不对",
        "更正",
        "待",
        "訂",
    ),
)
"""How a reply takes back what stands before; positive words among them are sorted out later."""

OPENER = re.compile(
    r"(?:sure(?: thing)?|certainly|of course|absolutely|great|good|okay|ok|alright|all right"
    r"|right|well"
    r"|no problem|gladly|my pleasure|hello|hi|hey|thanks?(?: you)?[^.!]{0,40}"
    r"|(?:that(?:['’]s| is) )?an? (?:very |really )?(?:great|good|interesting|tricky|nice"
    r"|excellent|classic|fun"
    r"|simple|easy|hard|tough|fair|fascinating) (?:question|one|puzzle|problem)"
    r"|(?:great|good|interesting|nice|excellent|tricky|classic) (?:question|one|puzzle|problem)"
    r"|(?:i(?:['’]d| would) be |i(?:['’]m| am) )?(?:happy|glad) to help[^.!]{0,40}"
    r"|let me (?:think|see|check|work|explain|help|recall|answer|solve)[^.!:]{0,60}"
    r"|let['’]?s (?:think|see|check|work|go|break|solve|start)[^.!:]{0,60}|here(?:['’]s| is"
    r"| are| we go| you go)[^.!:]{0,60}"
    r"|klar|gerne?|natürlich|sicher|gute frage|bien sûr|certainement|bonne question|volontiers"
    r"|claro(?: que sí)?|por supuesto|buena pregunta|con gusto|certo|好的|当然"
    r"|もちろん(?:です)?|はい|네)"
    r"[\s!.:,…👍😊🙂]*",
    re.IGNORECASE,
)
"""A sentence that opens a reply and says nothing."""

CLOSER = re.compile(
    r"[\s*_>-]*(?:(?:please )?let me know|i hope\b|hope (?:this|that|it)|feel free"
    r"|would you like|do you (?:want|need)"
    r"|if you(?:['’]d| would| have| need| want|['’]re)|please (?:let|feel|tell|note)"
    r"|is there anything|want me to|anything else"
    r"|happy to|glad to|don['’]?t hesitate|good luck|have a (?:nice|great|good)|source|sources"
    r"|reference|check|note"
    r"|n\.?b\.?|p\.?s\.?|verification|verify|confidence|you can (?:read|find|verify|check)"
    r"|shall i|should i|i can (?:also|explain|help)"
    r"|cheers|enjoy|thanks?\b|sag mir|lass mich|falls du|wenn (?:du|sie)|ich hoffe|n['’]hésite"
    r"|si vous|si tu|j['’]espère"
    r"|dis-moi|dites-moi|espero|si (?:quieres|necesitas|deseas|tienes)|avísame|no dudes"
    r"|fammi sapere|se (?:hai|vuoi)|如果|希望|ご不明|他に|何か)"
    r"(?![\w])",
    re.IGNORECASE,
)
"""How a sentence begins that closes a reply and says nothing of the answer."""

GIVEN_UP = Cue(
    re.compile(
        r"\b(?:i (?:can(?:not|['’]?t)|could(?: not|n['’]?t)|do(?: not|n['’]?t)|am (?:not able"
        r"|unable)|really don['’]?t)(?: \w+){0,3}?"
        r" (?:know|say|tell|determine|answer|decide|help|identify|be determined|give (?:a|an|you)"
        r"|provide (?:a|an|the))\b|i give up\b|no idea\b|never ?mind\b"
        r"|can(?:not|['’]?t) be (?:determined|answered|known|said|decided)|impossible to (?:say"
        r"|tell|know|determine)|unable to"
        r"|(?:is|are) (?:unknown|unclear)|not enough information|insufficient information"
        r"|ich weiß (?:es )?nicht|keine ahnung|je ne sais pas|aucune idée"
        r"|no (?:lo )?sé\b|non lo so|não sei|不知道|无法|わかりません|分かりません)",
        re.IGNORECASE,
    ),
    (
        "can",
        "could",
        "i do",
        "i am",
        "i really",
        "give up",
        "idea",
        "never",
        "imposs",
        "unable",
        "unknown",
        "unclear",
        "enough",
        "insuff",
        "ich weiß",
        "ahnung",
        "sais pas",
        "aucune",
        "sé",
        "non lo so",
        "sei",
        "不知",
        "无法",
        "わか",
        "分か",
    ),
)
"""A reply that declines to answer."""
