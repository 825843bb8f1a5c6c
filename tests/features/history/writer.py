"""A process that keeps runs made before: ``writer.py STORE FILE`` prints the names it was the first to keep."""

import pickle
import sys
from pathlib import Path

from reporting.features.history.folder import Folder

if __name__ == "__main__":
    place = Folder(Path(sys.argv[1]))
    for name, files in pickle.loads(Path(sys.argv[2]).read_bytes()):
        if place.publish(name, files):
            print(name, flush=True)
