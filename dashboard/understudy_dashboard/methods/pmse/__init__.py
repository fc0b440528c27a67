"""The pMSE mechanism on the pages."""
