"""Names that several checks of the pMSE mechanism share."""

from typing import Final

PART: Final = "Models chosen by their pMSE"
SOURCE: Final = "docs/pmse.md"
