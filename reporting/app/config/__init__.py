"""YAML -> ``Plan``: every error with file, line and column, all of them together.

- ``read_plan``: a config file, with overrides, as a plan.
- ``plan_of``: the same keys as Python values as a plan.
- ``Plan``: what a config means: trials, study, report, execution, history, gates.
- ``json_schema``: every key with its type, default and meaning, for editors.
- ``find_sources``: the files or remote places that a source of the config names.

Keys are in ``trial_keys``, ``study_keys``, ``gate_keys`` and ``schema``; ``build`` turns them into the
plan, ``document`` keeps where each value is in the file, ``values`` writes Python values in its place.
"""

from __future__ import annotations

from reporting.app.config.plan import Plan
from reporting.app.config.read import plan_of, read_plan
from reporting.app.config.schema import json_schema
from reporting.app.config.sources import find_sources

__all__ = ["Plan", "find_sources", "json_schema", "plan_of", "read_plan"]
