"""``python -m reporting``."""

from reporting.cli import main

if __name__ == "__main__":
    main()
