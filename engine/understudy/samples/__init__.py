"""Small simulated tables with their schemas, and the simulators that made them.

The files lie in `sample_data` at the top of the checkout, which this package links to.
"""

from pathlib import Path
from typing import Final

FILES: Final = (Path(__file__).parent / "files").resolve()
"""The folder of the tables and schemas."""
