"""The tables of a comparison, a file a subject. Each takes a `View`: the samples of runs that compare."""
