"""Tests of those who answer."""
