"""From counts to drawn values. No frame is made here.

- ``study``: what a report asks, as one value.
- ``curves``: the words of ``curves`` and the frames they are drawn from; what a fit is.
- ``partition``: the trials by the values of some columns: members, and their counts.
- ``parts``: datasets and groups, each with its models.
- ``operations``: the thresholds of a model, and what they do on test.
- ``scales``: what the scores of a model are, and what makes probabilities of them.
- ``model_runs``: the runs of one model together.
- ``values``: a measure at thresholds, or over the sweep.
- ``resampling``, ``rechoosing``: what a part has drawn; thresholds re-selected in every resample.
- ``folds``: the folds of a part, in which every resample chooses thresholds again.
- ``probability_cells``: what resamples of probabilities are read for, and the smooth calibration curve.
- ``sample``: a measure of one system, on the trials and in resamples: what every estimate is read off.
- ``error_rates``, ``intervals``: rates of dependent trials; which interval a sample gets.
- ``pairing``, ``swapping``: the pairs that are compared, and what two models exchange in the swap test.
- ``macro``: means over the values of a column, which are the units.
- ``joint``: the primary measure of all models, in draws that they share.
- ``pairs``: the difference of two samples, tested and against margins.
- ``exact_curves``: curves along alpha without a grid.
"""
