"""Files of recorded answers: their rows, an index, recorded failures."""
