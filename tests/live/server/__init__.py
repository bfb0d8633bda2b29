"""The parts of the faulty server: what it reads, what it answers, and how it fails."""
