"""Judges, the pure part: building prompts and reading replies. No model is queried here."""

from benchmaker.scoring.judge.categories import JudgeCategory
from benchmaker.scoring.judge.checklist import parse_checklist, parse_reference
from benchmaker.scoring.judge.criteria import CriterionMark, JudgeCriterion, weighted_mark
from benchmaker.scoring.judge.expect import Expect, Mode
from benchmaker.scoring.judge.nonce import FencedText, fence, fresh_nonce
from benchmaker.scoring.judge.null_battery import NULL_BATTERY, NullAnswer, NullKind
from benchmaker.scoring.judge.prompt import (
    Instructions,
    OwnInstructions,
    Prompt,
    absolute_prompt,
    checklist_making_prompt,
    false_reference_prompt,
    pairwise_prompt,
    reference_prompt,
    transcript,
    with_complaint,
)
from benchmaker.scoring.judge.reply import JudgeReply, Rung, UnparsedReply, complaint
from benchmaker.scoring.judge.reply_parser import parse
from benchmaker.scoring.judge.scale import PUBLISHED_ANCHORS, NotOnScale, Scale
from benchmaker.scoring.judge.schema import checklist_schema, reply_schema
from benchmaker.scoring.judge.suspicion import Suspicion, find_suspicions

__all__ = [
    "NULL_BATTERY",
    "PUBLISHED_ANCHORS",
    "CriterionMark",
    "Expect",
    "FencedText",
    "Instructions",
    "JudgeCategory",
    "JudgeCriterion",
    "JudgeReply",
    "Mode",
    "NotOnScale",
    "NullAnswer",
    "NullKind",
    "OwnInstructions",
    "Prompt",
    "Rung",
    "Scale",
    "Suspicion",
    "UnparsedReply",
    "absolute_prompt",
    "checklist_making_prompt",
    "checklist_schema",
    "complaint",
    "false_reference_prompt",
    "fence",
    "find_suspicions",
    "fresh_nonce",
    "pairwise_prompt",
    "parse",
    "parse_checklist",
    "parse_reference",
    "reference_prompt",
    "reply_schema",
    "transcript",
    "weighted_mark",
    "with_complaint",
]
