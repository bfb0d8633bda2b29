"""The script of the model: words, calls and token counts, each of them distinct."""

from benchmaker.arenas.agentic.running.scripted.script import Tokens, Turn

PROMPT = "Write the word kestrel into one.txt, read a file that is missing, then say so."

WORK = Turn(
    text="First I write the file, marlin.",
    thought="The folder may be empty, osprey.",
    command="printf kestrel > one.txt && cat one.txt",
    output="kestrel",
    tokens=Tokens(uncached=1103, cached=2207, written=409, output=151, reasoning=67),
)
FAIL = Turn(
    text="Now I read what is missing, turbot.",
    command="cat no-such-file.txt",
    output="No such file",
    tokens=Tokens(uncached=307, cached=3719, written=211, output=97, reasoning=29),
)
SAY = Turn(
    text="One is written and the other is missing, bittern.",
    thought="Both are done, dunlin.",
    tokens=Tokens(uncached=503, cached=4337, written=113, output=59, reasoning=23),
)
TURNS = (WORK, FAIL, SAY)
