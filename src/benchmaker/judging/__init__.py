"""Calibration of judges, and human labels."""

from benchmaker.judging.calibrate import REPEATS, acalibrate_judge, calibrate_judge, samples_of
from benchmaker.judging.labelled_file import read_labels
from benchmaker.judging.samples import Sample, SampleSet, bundled_samples

__all__ = [
    "REPEATS",
    "Sample",
    "SampleSet",
    "acalibrate_judge",
    "bundled_samples",
    "calibrate_judge",
    "read_labels",
    "samples_of",
]
