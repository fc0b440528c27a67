"""`python -m understudy.cli` does what `understudy` does."""

import sys

from understudy.cli import main

sys.exit(main())
