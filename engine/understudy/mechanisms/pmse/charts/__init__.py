"""Pictures of plans of the pMSE mechanism, from public numbers alone."""
