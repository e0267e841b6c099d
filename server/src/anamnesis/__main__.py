"""`python -m anamnesis` is the console script."""

import sys

from anamnesis.cli import main

if __name__ == "__main__":
    sys.exit(main())
