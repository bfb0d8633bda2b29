# ruff: noqa: PLC0415, S311, SIM905  packages that only this script needs; a seeded draw
"""Writes ``overlap_reference.jsonl``: 1,000 texts with the values of sacreBLEU and rouge-score.

Run it with Python where both packages are installed (sacrebleu 2.6.0 and rouge-score 0.1.2 made
the present file): ``python tests/scoring/checks/make_overlap_reference.py``.
"""

import json
import random
import re
from pathlib import Path

TABLE = Path(__file__).with_name("overlap_reference.jsonl")
WORDS = (
    "the a an cat dog sat on mat is it was Paris capital of France 42 3.5 1,000 well-known U.S. "
    'don\'t e-mail (maybe) "quoted" café naïve Straße größer año 你好 世界 こんにちは привет мир '
    "AT&T &amp; &lt;b&gt; end. Yes, no; why? 10-20 x=y a_b state-of-the-art 50% $5 http://a.b/c"
).split()


def main() -> None:
    draw = random.Random(28)
    with TABLE.open("w", encoding="utf-8") as out:
        for _ in range(1000):
            out.write(json.dumps(row(draw), ensure_ascii=False) + "\n")


def row(draw: random.Random) -> dict:
    references = [text(draw) for _ in range(draw.choice((1, 1, 1, 2, 3)))]
    answer = text(draw) if draw.random() < 0.2 else changed(draw, draw.choice(references))
    return {"answer": answer, "references": references, **values(answer, references)}


def text(draw: random.Random) -> str:
    count = draw.choice((0, 1, 2, 3, 5, 8, 13, 30))
    sign = draw.choice((" ", " ", " ", "  ", "\n"))
    return sign.join(draw.choices(WORDS, k=count)) + draw.choice(("", ".", "!", " ", "\n"))


def changed(draw: random.Random, given: str) -> str:
    words = given.split(" ")
    for _ in range(draw.randrange(5)):
        at = draw.randrange(len(words) + 1)
        words[at : at + draw.randrange(2)] = draw.choices(WORDS, k=draw.randrange(2))
    return draw.choice((str, str, str.lower, str.upper))(" ".join(words))


def values(answer: str, references: list[str]) -> dict:
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu import sentence_bleu, sentence_chrf

    class AllLetters:
        def tokenize(self, given: str) -> list[str]:
            return re.findall(r"[^\W_]+", given.lower())

    kinds = ["rouge1", "rouge2", "rougeL"]
    is_ascii = all(it.isascii() for it in (answer, *references))
    rouge = RougeScorer(kinds, tokenizer=None if is_ascii else AllLetters())
    by_reference = [rouge.score(it, answer) for it in references]
    return {
        "bleu": sentence_bleu(answer, references).score / 100,
        "chrf": sentence_chrf(answer, references).score / 100,
        "chrf++": sentence_chrf(answer, references, word_order=2).score / 100,
        **{kind: max(it[kind].fmeasure for it in by_reference) for kind in kinds},
    }


if __name__ == "__main__":
    main()
