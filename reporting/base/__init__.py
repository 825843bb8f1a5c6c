"""What every room rests on: errors, names, caches, processes, files that are written whole."""
