"""The waist: three integer tables, of which everything below is arithmetic.

- ``count``: trials -> counts, one model at a time.
- ``cuts``: targets, non-targets and errors at every distinct score of a model.
- ``outcomes``: how two models decide every trial.
- ``remembered``: the counts of a model as a cache keeps them.
- ``ranks``: the trials in canonical order with the rank of their score in every model.
"""
