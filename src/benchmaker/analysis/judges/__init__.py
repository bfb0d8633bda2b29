"""Judges: calibration, reliability, drift, and correction by labels."""
