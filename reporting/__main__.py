"""``python -m reporting``."""

from reporting.app.cli import main

if __name__ == "__main__":
    main()
