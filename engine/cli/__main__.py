"""`python -m engine.cli` does what `understudy` does."""

import sys

from engine.cli import main

sys.exit(main())
