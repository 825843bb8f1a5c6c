"""Resamples and tests.

- ``settings``: what a config asks of inference, with every default.
- ``draws``, ``units``: streams of random numbers; integer weights for trials, clusters or blocks of them.
- ``cell_tables``: a model's trials counted by cell, and summed under weights; ``bins``: cells for blocks.
- ``packing``: several rows of a table in one double, so that one product sums them all.
- ``bootstrap``, ``procedure``: the errors of resamples, at fixed thresholds or at re-selected ones.
- ``design``: how trials depend, and how the spread of resamples is read.
- ``paired``: the one paired difference, with interval and p; corrections over a family.
- ``margins``: its limits at every tail, and the p of every margin.
- ``estimate``, ``best_cut``: the interval of a single value, of one read at its own best threshold.
- ``effective``: how many independent trials rates rest on.
- ``cached``: resamples that an earlier run has drawn; ``shelved``: those of very many models.
"""
