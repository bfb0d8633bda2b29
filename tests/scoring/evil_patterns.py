"""Patterns that hang careless programs, each with what it must come to.

``found`` and ``absent`` are answers; ``late`` is out of time; ``bad`` is no pattern; ``long`` is a
pattern or text beyond the limits; ``any`` is an answer or out of time, by the machine and by the
version of Python, but never a hang.
"""

import string
from itertools import product
from typing import NamedTuple

A40 = "a" * 40
PAIRS = "|".join(map("".join, product(string.ascii_lowercase, repeat=2)))
WORDS = "|".join(f"w{i}" for i in range(200_000))
ACCENTS = "|".join(f"é{i:x}" for i in range(1_600))
RANGES = "".join(f"{chr(i)}-{chr(i + 1)}" for i in range(0x1000, 0x1900, 3))
EMAIL = r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$"
COLUMNS = ",".join(map(str, range(1, 21))) * 3


class Evil(NamedTuple):
    name: str
    pattern: str
    text: str
    outcome: str


EVIL = (
    Evil("nested plus", r"^(a+)+$", A40 + "!", "late"),
    Evil("nested star", r"^(a*)*$", A40 + "!", "late"),
    Evil("nested three deep", r"^((a+)+)+$", A40 + "!", "late"),
    Evil("overlapping alternatives", r"^(a|aa)+$", "a" * 60 + "!", "late"),
    Evil("the same alternative twice", r"^(a|a)*$", A40 + "!", "late"),
    Evil("optional inside a star", r"^(a?b?)*$", "ab" * 30 + "!", "any"),
    Evil("many optionals", "a?" * 40 + "a" * 40, A40, "any"),
    Evil("dots in a row", r"^.*.*.*.*.*.*.*.*=$", "x" * 2_000, "late"),
    Evil("white space before the end", r"(\s+)+$", " " * 60 + "x", "late"),
    Evil("lazy nested", r"^(a+?)+?$", A40 + "!", "late"),
    Evil("email", EMAIL, A40 + "!", "late"),
    Evil("address of a page", r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60, "late"),
    Evil("numbers with commas", r"^(\d+,?)+$", "1" * 50 + "x", "late"),
    Evil("comma separated", r"^(.*?,){25}P", COLUMNS, "any"),
    Evil("quoted strings", r'^("(\\?.)*")+$', '"' + "\\a" * 40, "late"),
    Evil("counted repeats nested", r"^(a{1,30}){1,30}$", "a" * 60 + "!", "late"),
    Evil("huge count", r"(?:a{1000}){1000}b", "a" * 100_000, "any"),
    Evil("count beyond all bounds", r"a{99999999999999999999}", A40, "bad"),
    Evil("back reference", r"^(a*)\1*(a*)\2*b$", "a" * 3_000, "any"),
    Evil("back reference doubled", r"(.+)\1+\1+\1+x", "ab" * 3_000, "any"),
    Evil("look ahead", r"^(?=(a+)+$).*x", A40 + "!", "late"),
    Evil("negative look ahead", r"^(?:(?!b)(a|a)+)+$", A40 + "!", "late"),
    Evil("look behind of variable width", r"(?<=a+)b", A40 + "b", "bad"),
    Evil("catastrophic Unicode", r"^(\w+\s?)+$", "ключ" * 12 + "\u2063!", "late"),
    Evil("case folding Unicode", r"/^(ß|ss|SS)+$/i", "ss" * 30 + "!", "any"),
    Evil("combining marks", r"^(é|e\u0301|\w)+$", "e\u0301" * 40 + "!", "any"),
    Evil("all alternatives of two letters", f"^({PAIRS}|[a-z])+$", "ab" * 40 + "!", "late"),
    Evil("compile bomb of alternatives", WORDS, "w199999", "long"),
    Evil("compile bomb within bounds", f"(?i:{ACCENTS})", "É63f", "any"),
    Evil("compile bomb of sets", "[\\w\\W\\d\\D]" * 800, "x", "any"),
    Evil("compile bomb of ranges", f"[{RANGES}]", "\u1000", "found"),
    Evil("deep nesting", "(" * 2_000 + ")" * 2_000, "x", "bad"),
    Evil("deep nesting unclosed", "(?:" * 3_000, "x", "bad"),
    Evil("deep nesting of repeats", "(?:" * 60 + "a" + "?)*" * 60 + "b", A40, "any"),
    Evil("many groups", "(a)?" * 2_400, A40, "found"),
    Evil("a megabyte of starts", r"a.{0,200}b", "a" * 999_000, "any"),
    Evil("quadratic search", r"a*b", "a" * 200_000, "late"),
    Evil("beyond a megabyte", r"b", "a" * 1_000_001, "long"),
    Evil("beyond a megabyte of bytes", r"b", "é" * 500_001, "long"),
    Evil("memory", r"(?:(a)|(b)|(c)|.)*x", "abc" * 333_000, "any"),
    Evil("only slashes", "//", "x", "bad"),
    Evil("many brackets", "[" * 9_000, "x", "bad"),
    Evil("many references unclosed", "\\k<" * 3_000, "x", "bad"),
    Evil("many named groups unclosed", "(?<a" * 2_000, "x", "bad"),
    Evil("nul and line separators", "\x00\u2028$", "a\x00\u2028", "found"),
    Evil("lone surrogate", "\ud800+$", "x\ud800\ud800", "found"),
)
