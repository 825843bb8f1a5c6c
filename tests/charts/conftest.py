"""The simulated results of the section tests serve the charts too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "sections"))
