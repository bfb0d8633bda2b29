"""Tests of the files a person writes."""
