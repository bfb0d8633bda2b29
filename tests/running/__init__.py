"""How the tests are run: collected once, in forked workers, the longest files first, and timed."""
