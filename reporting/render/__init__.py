"""The report to bytes, through the folder ``templates/``.

- ``formats``: every format by name, and what renders it.
- ``junit``: the verdicts of gates for CI.
- ``typst``: the PDF without TeX.
- ``environment``: the templates, ours and a user's.
"""
