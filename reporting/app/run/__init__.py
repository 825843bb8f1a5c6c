"""The whole program, and what surrounds a run.

- ``report.make_report``: plan -> trials -> counts -> frames -> report -> files, as one function to read.
- ``check.check_report``: the same up to the counts, with one line that reports what is there.
- ``inputs``: what a run opens: its folder, its executor, the checked trial table, the counts.
- ``run_history``: the verdicts of gates, what has changed since earlier runs, and that this one is kept.
- ``manifest.manifest``: what was read and what was written, enough to make it again.
- ``verify.verify``: whether every byte of a report still follows from its inputs.
- ``counts.make_bundle``: a trial table as one file of counts; ``merging``: what merging of its scores does to
  measures.
- ``pilot.plan_pilot``: how large a study must be, from the data of a pilot; ``plan_file.write_plan``: a file
  of that.

Nothing is imported here: ``reporting check`` must not load what draws.
"""
