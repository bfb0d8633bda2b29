"""The building blocks of the Arena's pages: the form of a run, and its live grid."""
