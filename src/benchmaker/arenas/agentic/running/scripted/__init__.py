"""A model that answers by a script, in the four wires, and a gateway in front of it."""
