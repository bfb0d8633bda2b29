"""Importers of results that other benchmarks and harnesses wrote."""
