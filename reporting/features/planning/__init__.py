"""Before data are collected: how many trials, clusters or readers a question needs.

- ``options``, ``questions``: what a user can give, and what can be planned; they import nothing heavy.
- ``goals``: what the options ask of a number.
- ``sample_plan``: what a plan is, and the search for the smallest size.
- ``rates``, ``whole_curves``, ``readers``, ``pilot``: what a size gives, question by question.
- ``text``, ``page``: a plan on the terminal, and as a report.
"""
