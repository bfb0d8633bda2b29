"""The actions behind commands, without their options: import, export, compare, evaluate."""
