"""The doors and the whole program: command line, notebook, config, a first config, run, verify, examples."""
