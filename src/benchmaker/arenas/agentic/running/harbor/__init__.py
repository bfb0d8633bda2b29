"""Agents of the library harbor: its adapters, run in containers behind the gateway.

The library is never imported here: a script runs in the Python that has it.
"""
