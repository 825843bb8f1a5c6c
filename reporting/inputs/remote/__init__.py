"""Sources outside the file system: ``fetch.fetched`` copies them into files, ``address`` names them."""
