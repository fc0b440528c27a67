"""Classes of partitions that no confidential record has a say in, each with its best Gini score."""
