"""Makes ``english`` and the simulated results of the sections' tests importable whatever pytest's import mode."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "sections")]
