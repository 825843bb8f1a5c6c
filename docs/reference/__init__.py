"""Reference pages, made of the values of the program: each module has ``pages``, texts by their place."""
