"""Report -> bytes, through the folder ``templates/``: one module per format, listed in ``formats``."""
