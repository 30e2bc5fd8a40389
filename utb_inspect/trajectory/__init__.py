"""The scoring core: argument agreement, assignment, what a run answers, verdicts (spec sections 3 to 5).

Pure functions over `utb_inspect.schema`; nothing here imports Inspect.
"""
