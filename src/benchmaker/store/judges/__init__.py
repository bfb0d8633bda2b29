"""Calibrations of judges and labels of people."""
