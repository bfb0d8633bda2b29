"""Calibration of judges, and human labels."""

from benchmaker.judging.calibrate import REPEATS, acalibrate_judge, calibrate_judge, samples_of
from benchmaker.judging.labelled_file import read_labels
from benchmaker.judging.samples import KINDS, Sample, SampleSet, bundled_samples, samples_of_kind

__all__ = [
    "KINDS",
    "REPEATS",
    "Sample",
    "SampleSet",
    "acalibrate_judge",
    "bundled_samples",
    "calibrate_judge",
    "read_labels",
    "samples_of",
    "samples_of_kind",
]
