"""Made traces on the pages."""
