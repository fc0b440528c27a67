"""An acceptance test: a few statistics, named beforehand and measured with noise on records that
nothing else was made from, so that how near a release comes may be published."""
