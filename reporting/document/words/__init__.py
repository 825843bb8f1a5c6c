"""The words of a report, and their printing.

- ``view``: the results of one dataset and run, as rows, names, terms and printings.
- ``terms``: the words of a field, by vocabulary.
- ``printing``: how a measure is printed: unit and digits.
- ``phrases``, ``history_phrases``, ``oriented``: what several sections say; a comparison from either side.
- ``definitions``: what a detection cost is, as a formula of its own parameters.
- ``log_bases``: scores named after another logarithm than their scale.
- ``decisions``: what is decided of every model, the p that decides, an interval that agrees.
- ``tables``: the table builder.
- ``covered``: how intervals and tests of a measure are made, and how often they held the truth.
- ``codes``: the page of every code, a sentence for every status, flag and method, the words of a question.

Nothing is imported here: the catalogue of measures and ``check`` need the terms alone.
"""
