"""Arrays by the type of what they hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


IntArray = npt.NDArray[np.int64]


RankArray = npt.NDArray[np.uint32]


BoolArray = npt.NDArray[np.bool_]
