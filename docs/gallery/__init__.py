"""The gallery: reports that are made when the site is built; ``cards`` lists them."""
