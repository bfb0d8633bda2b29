"""Judges, the pure part: prompts out, readings of replies in. Nothing here asks a model."""

from benchmaker.scoring.judge.checklist import parse_checklist, parse_reference
from benchmaker.scoring.judge.criteria import Criterion, Mark, weighted
from benchmaker.scoring.judge.expect import Expect, Mode
from benchmaker.scoring.judge.markers import Fenced, fence, fresh_nonce
from benchmaker.scoring.judge.null_battery import NULL_BATTERY, NullAnswer, NullKind
from benchmaker.scoring.judge.prompt import (
    Prompt,
    absolute_prompt,
    checklist_making_prompt,
    false_reference_prompt,
    pairwise_prompt,
    reference_prompt,
    transcript,
    with_complaint,
)
from benchmaker.scoring.judge.reply import JudgeReply, Rung, Unparsed, complaint
from benchmaker.scoring.judge.reply_parser import parse
from benchmaker.scoring.judge.scale import PUBLISHED_ANCHORS, NotOnScale, Scale
from benchmaker.scoring.judge.schema import checklist_schema, reply_schema
from benchmaker.scoring.judge.suspicion import Suspicion, suspicious

__all__ = [
    "NULL_BATTERY",
    "PUBLISHED_ANCHORS",
    "Criterion",
    "Expect",
    "Fenced",
    "JudgeReply",
    "Mark",
    "Mode",
    "NotOnScale",
    "NullAnswer",
    "NullKind",
    "Prompt",
    "Rung",
    "Scale",
    "Suspicion",
    "Unparsed",
    "absolute_prompt",
    "checklist_making_prompt",
    "checklist_schema",
    "complaint",
    "false_reference_prompt",
    "fence",
    "fresh_nonce",
    "pairwise_prompt",
    "parse",
    "parse_checklist",
    "parse_reference",
    "reference_prompt",
    "reply_schema",
    "suspicious",
    "transcript",
    "weighted",
    "with_complaint",
]
