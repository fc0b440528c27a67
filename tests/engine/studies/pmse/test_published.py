"""The printed numbers, digit for digit, and what is odd about them."""

from __future__ import annotations

import pytest

from understudy.studies.pmse.published import (
    BAYES,
    DOUBTED,
    EPSILONS,
    HISTOGRAM,
    NON_DP,
    PRACTISED,
    TABLE_1,
    TABLE_2,
    VARIANCES,
)

RATES = """
1          0.0 0.0
2          0.3 0.5
5          0.6 2.0
unlimited  0.7 2.5
"""
"""3.1: by depth, at cp = 0.01 and 0.001."""
NUMBERS = """
0.25  0.00660 0.09281 0.20509 0.08206   8.681e-07 1.347e-03 3.079e-03 2.826e-05
0.5   0.00663 0.03610 0.17876 0.05398   8.929e-07 8.020e-05 5.914e-03 1.809e-05
1     0.00661 0.02107 0.14372 0.03278   8.342e-07 1.648e-05 8.579e-03 1.069e-05
2     0.00660 0.01459 0.11177 0.01892   8.342e-07 1.648e-05 8.579e-03 1.069e-05
4     0.00660 0.01161 0.07919 0.01129   8.671e-07 3.329e-06 9.087e-03 5.964e-06
"""
"""3.3: by ε, mean and variance of each of `NAMES`."""
NAMES = (NON_DP, PRACTISED, BAYES, HISTOGRAM)


@pytest.mark.parametrize("line", RATES.strip().splitlines())
def test_table_1(line: str) -> None:
    depth, *rates = line.split()
    of = None if depth == "unlimited" else int(depth)
    assert [TABLE_1[of, cp] for cp in (0.01, 0.001)] == [float(each) for each in rates]


@pytest.mark.parametrize("line", NUMBERS.strip().splitlines())
def test_table_2(line: str) -> None:
    epsilon, *numbers = (float(each) for each in line.split())
    at = EPSILONS.index(epsilon)
    assert [TABLE_2[name][at] for name in NAMES] == numbers[:4]
    assert [VARIANCES[name][at] for name in NAMES] == numbers[4:]


def test_one_row_of_variances_is_printed_twice() -> None:
    """3.3: it is taken to be that of ε = 2."""
    assert DOUBTED == 2.0
    for name in NAMES:
        of = dict(zip(EPSILONS, VARIANCES[name], strict=True))
        assert of[1.0] == of[2.0]


def test_what_the_text_says_of_the_table_and_the_table_does_not() -> None:
    """3.3: variances are not larger at both ends, and at both ends the histogram has less pMSE."""
    for name in (PRACTISED, HISTOGRAM):
        assert list(VARIANCES[name]) == sorted(VARIANCES[name], reverse=True)
    assert list(VARIANCES[BAYES]) == sorted(VARIANCES[BAYES])
    best = [TABLE_2[HISTOGRAM][at] < TABLE_2[PRACTISED][at] for at in range(5)]
    assert best == [True, False, False, False, True]
    over = [TABLE_2[PRACTISED][at] / TABLE_2[NON_DP][at] for at in (2, 4)]
    assert over == pytest.approx([3, 2], abs=0.25)
