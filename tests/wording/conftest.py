"""Makes the simulated results of the sections' tests importable whatever pytest's import mode."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "sections"))
