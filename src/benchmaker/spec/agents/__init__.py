"""Agent adapters: how coding agents are started."""
