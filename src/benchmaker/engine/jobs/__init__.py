"""Jobs that a worker carries out, and the notices that follow."""
