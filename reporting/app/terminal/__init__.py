"""What a run prints while it works.

- ``Voice`` (``log``): stages and faults on stderr, as lines for people or as JSON.
- ``bars``: the bars of progress on a terminal.
"""
