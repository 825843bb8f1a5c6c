"""How the sources of each layout become rows in long form; ``catalogue.LAYOUTS`` names them all."""
