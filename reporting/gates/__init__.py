"""Gates: what must hold, and whether it does.

- ``gate``: a gate as the config says it, and the models, datasets and groups that it names.
- ``collect``: the evidence of every gate, gathered while its replicates are there.
- ``past``: what gates remember of earlier runs.
- ``verdict``: pass, fail or undecided, over all gates of a run.
"""
