"""Discourse markers: phrases by which a reply corrects itself, opens, closes or gives up."""

import re

from benchmaker.scoring.extract.cues import Cue

CORRECTION = Cue(
    (
        r"(?:(?<=[.!?…\n)—–])|(?<=\.\*\*)|\A|(?:(?<=,)|(?<=\s-))(?=\s{0,20}(?:(?:oh|hmm+|ah|no)[\s,]{1,20}){0,6}"
        r"(?:wait|sorry|oops|hold on|scratch that|correction|on second thought|or rather|i mean"
        r"|i misspoke|i made)\b))[\s*_>—–(,-]{0,40}+(?:(?:oh|hmm+|ah|no|oops|hold on"
        r"|sorry)[\s,.!…—-]{1,20}){0,6}"
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
        r"|不对|更正|待って|訂正)"
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
"""Openings of a correction of earlier text; positive words among them are sorted out later."""

OPENER = re.compile(
    r"(?:sure(?: thing)?|certainly|of course|absolutely|great|good|okay|ok|alright|all right"
    r"|right|well|h+m+"
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
"""Openings of a closing sentence without an answer."""

GIVEN_UP = Cue(
    (
        r"\b(?:i (?:can(?:not|['’]?t)|could(?: not|n['’]?t)|do(?: not|n['’]?t)|am (?:not able"
        r"|unable)|really don['’]?t)(?: \w+){0,3}?"
        r" (?:know|say|tell|determine|answer|decide|help|identify|be determined|give (?:a|an|you)"
        r"|provide (?:a|an|the))\b|i give up\b|no idea\b|never ?mind\b"
        r"|can(?:not|['’]?t) be (?:determined|answered|known|said|decided)|impossible to (?:say"
        r"|tell|know|determine)|unable to"
        r"|(?:is|are) (?:unknown|unclear)|not enough information|insufficient information"
        r"|ich weiß (?:es )?nicht|keine ahnung|je ne sais pas|aucune idée"
        r"|no (?:lo )?sé\b|non lo so|não sei|不知道|无法|わかりません|分かりません)"
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
