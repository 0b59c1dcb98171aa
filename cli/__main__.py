"""So that `python -m cli` is the command `trull`."""

import sys

from cli.main import main

# The processes that help with the work import this module too.
if __name__ == "__main__":
    sys.exit(main())
