"""Where attempts are made: the cores of this machine, or a cluster."""
