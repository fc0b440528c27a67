"""The pMSE mechanism (Snoke and Slavković 2018), with scores whose sensitivity is exact."""
