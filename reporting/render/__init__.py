"""The report to bytes, through the folder ``templates/``.

- ``formats``: every format by name, and what renders it.
- ``junit``: the verdicts of gates for CI.
- ``typst``: the PDF without TeX.
- ``drawing``: the process that draws; the earlier it starts, the better.
- ``fragment``: the answer of a report, or one picture, as a piece of HTML for a notebook.
- ``printed``: tables as plain texts, for libraries that print them.
- ``environment``: the templates, the program's and a user's.
"""
