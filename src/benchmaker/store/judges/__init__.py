"""Calibrations of judges, and human labels."""
