"""How a threshold is chosen: criteria by name (``catalogue``)."""
