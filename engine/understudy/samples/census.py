"""A simulated census. Nobody in this table exists.

The attributes, their order and their numbers of values are those of the published evaluation of
plausible deniability (Bindschaedler, Shokri, Gunter, VLDB 2017, on the 2013 American Community
Survey). The people are drawn from invented probabilities, which are listed first.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.samples import FILES
from understudy.samples.pieces import Conditional, factors, parse_chances, pieces, write_pieces
from understudy.table.schema import Schema

# The invented weights behind the simulated census. Nobody in this table exists.
#
# Every number here was made up to look plausible for people over sixteen in the United States who
# held a job in the last five years. None was estimated from data. A row of weights need not sum to
# anything in particular; only the proportions within it count.

AGES = np.arange(17, 97)
HOURS = np.arange(100)

OCCUPATIONS = (
    *("MGR", "BUS", "FIN", "CMM", "ENG", "SCI", "CMS", "LGL", "EDU", "ENT", "MED", "HLS", "PRT"),
    *("EAT", "CLN", "PRS", "SAL", "OFF", "FFF", "CON", "EXT", "RPR", "PRD", "TRN", "MIL"),
)

WOMEN = 0.48

# Age: weight at these ages, straight lines between; men stay at work a little longer.
AGE_KNOTS = (17, 19, 22, 30, 45, 55, 62, 66, 70, 80, 90, 96)
AGE_WEIGHTS = (0.7, 1.5, 2.0, 2.1, 2.2, 2.3, 1.6, 0.95, 0.5, 0.13, 0.03, 0.006)
MEN_AGE = ((17, 55, 90), (1.0, 1.0, 1.35))

# Where working life starts and tapers off.
STAGE_AGES = (25, 65)

BIRTH_AGES = (25, 45, 65)
BIRTH = parse_chances("""
          state  island  latin  asia  europe  africa  north  oceania
    17       89     0.5      5   3.2     0.9     0.7    0.2      0.15
    25       79     0.6     11   6.2     1.4     1.1    0.3      0.20
    45       81     0.7      9   5.4     2.2     0.8    0.4      0.20
    65       85     0.6      5   3.6     4.2     0.4    0.8      0.15
""")

RACE = parse_chances("""
              white  black  native  asian  other
    state        81     11     1.3    1.9    4.8
    island       62      9     0.5    0.5     28
    latin        54      9     0.8    0.9     35
    asia          7    0.7     0.2     89    3.1
    europe       95    1.6     0.1    1.3      2
    africa       25     66     0.2    4.8      4
    north        88      3     0.8      5    3.2
    oceania      34    1.5      37     18    9.5
""")

# Attainment in ten levels by age; the fifteen grades of the lowest are shared out below.
SCHOOLING_AGES = (18, 19, 21, 23, 25, 35, 50, 65)
SCHOOLING = parse_chances("""
          below  diploma  ged  term  years  associate  bachelor  master  professional  doctor
    17       91        6    1     2    0.1          0         0       0             0       0
    18       36       38    3    17      6        0.1         0       0             0       0
    19        9       29    4    22     34          2       0.3       0             0       0
    21        7       24    4    13     36          8         8     0.2             0       0
    23        8       22    4    10     24          9        21     1.6           0.2     0.1
    25        9       19    4     8     18         10        22     7.5           1.8     1.0
    35       10       21    4     7     16         10        20     9.0           2.2     1.5
    50        9       25    4     7     17         10        19     8.5           2.2     1.5
    65       10       26    3     7     16          7        17      10           3.0     2.6
""")
GRADES = parse_chances("""
            none nurs kind  1   2   3   4   5    6   7   8   9  10  11  12
    minor    0.3  0.1  0.1  0 0.1 0.1 0.1 0.2  0.3 0.5   2   6  18  55  17
    adult      4  0.2  0.2 .3 0.5   1   1   2    5   4  11  13  17  22  19
    latin      8  0.3  0.2  1   2   4   4   6   24   5   9  14   7   7   9
""")
# How far up the ladder a level is, and how far each group leans that way.
RUNG = np.array([-1.7, -0.8, -0.9, -0.2, 0, 0.2, 1, 1.5, 1.6, 1.9])
BIRTH_LEAN = np.array([0, -0.3, -0.75, 0.3, 0.3, 0.15, 0.4, 0])
RACE_LEAN = np.array([0, -0.25, -0.3, 0.25, -0.12])
SEX_LEAN = np.array([0, 0.15])

# Marital status: weight at these ages, straight lines between.
MARITAL_AGES = (17, 20, 24, 28, 34, 45, 55, 65, 75, 85, 96)
MARITAL = (  # men, women
    parse_chances("""
              married  widowed  divorced  separated  never
        17        0.2        0         0        0.1   99.7
        20          3        0       0.2        0.3   96.5
        24         15        0         1          1     83
        28         38      0.1         4          2     56
        34         61      0.2         8          2     29
        45         66        1        14          3     16
        55         69        2        17          2     10
        65         75        5        14          1      5
        75         74       14         8          1      3
        85         61       32         4          1      2
        96         42       54         2          0      2
    """),
    parse_chances("""
              married  widowed  divorced  separated  never
        17        0.4        0         0        0.1   99.5
        20          6        0       0.4        0.5     93
        24         22      0.1         2          2     74
        28         45      0.2         6          3     46
        34         61      0.5        11          3     24
        45         63        2        18          4     13
        55         61        6        22          2      9
        65         56       17        20          1      6
        75         40       42        13          1      4
        85         20       70         7          0      3
        96          8       86         3          0      3
    """),
)
# The pull of a degree: towards or away from these, as far as the degree goes.
SETTLED_MARITAL = np.array([1.25, 0.9, 0.75, 0.5, 1.05])
DEGREE_SETTLED = np.array([-0.9, -0.4, 0, 0, 1.0, 1.3, 1.6])

# Relationship to the householder, by marital status and age.
RELATION_AGES = (20, 25, 35, 50, 65, 80)
_MARRIED, _WIDOWED, _PARTED, _NEVER = (
    parse_chances("""
           head wife child adop step sib par gran parl sonl kin room mate love fost oth inst grp
        17   20   30    18  0.3  0.8   1   0    2    0   10   5    1    2    3  0.2   3    1   4
        20   37   36     9  0.2  0.5   1   0  0.7    0    6   3    1  1.5    1    0   2  0.5   2
        25   46   43   3.4  0.1  0.2 0.6 0.1  0.1  0.1    3 1.4  0.5  0.6  0.5    0 0.9  0.4 0.3
        35   49   45   1.3  0.1    0 0.5 0.4    0  0.3  1.2 0.9  0.4  0.3  0.3    0 0.5  0.4 0.2
        50   51   45   0.4    0    0 0.4 1.2    0  0.9  0.3 0.6  0.3  0.2  0.2    0 0.3  0.3 0.2
        65   53   43   0.1    0    0 0.3   2    0  1.3    0 0.5  0.2  0.1  0.2    0 0.2  0.3 0.2
        80   54   38     0    0    0 0.3   4    0  2.2    0 0.6  0.2    0  0.1    0 0.2  0.9 0.3
    """),
    parse_chances("""
           head wife child adop step sib par gran parl sonl kin room mate love fost oth inst grp
        17   20    0    45    1    3   6   0    5    0    1   6    3    5    4    1   4    2   5
        20   32    0    30    1    2   5   0    4    0    1   5    3    5    8    0   4    2   4
        25   55    0    18  0.3  0.5   3   1  0.5    0    1   3    2    3   10    0   3    1   2
        35   70    0     8  0.2    0   3   2    0    1  0.5   2    2    2    8    0   2    1   1
        50   78    0     2  0.1    0   3   6    0    2  0.2   2    1    1    4    0   1  0.5   1
        65   80    0   0.3    0    0   2  10    0    3    0   2    1  0.5    2    0   1  0.5 0.6
        80   75    0     0    0    0   2  15    0    3    0   2    1  0.3    1    0   1    3   1
    """),
    parse_chances("""
           head wife child adop step sib par gran parl sonl kin room mate love fost oth inst grp
        17   15    0    50    1    4   4   0    6    0    2   6    2    5    6    1   4    2   5
        20   30    0    35    1    2   4   0    3    0    1   4    2    6   12    0   4    2   3
        25   50    0    20  0.5  0.6   3 0.2    1    0  0.7   3    2    5   14    0   3    2   1
        35   65    0    11  0.3  0.1   3   1    0  0.2  0.4   2    2    4   11    0   2    2   1
        50   73    0     5  0.1    0   3   3    0    1  0.1   2    2    3    8    0   2    1   1
        65   80    0   1.2    0    0   3   5    0    1    0   2    1    2    5    0   1  0.6 0.8
        80   78    0     0    0    0   3  10    0    2    0   2    1    1    2    0   1    2   1
    """),
    parse_chances("""
           head wife child adop step sib par gran parl sonl kin room mate love fost oth inst grp
        17    5    0    70    2    5   3   0    5    0  0.3   3    1    3    2  0.5   2    1   9
        20   17    0    46    1    3   4   0    3    0  0.4   3    2   10    9    0   3    1   8
        25   34    0    26  0.8  1.3   4 0.1  1.3    0  0.3   3    2   10   15    0   3    1   2
        35   50    0    19  0.6  0.4   4 0.4  0.4    0  0.2   3    2    6   11    0   3  1.3   2
        50   64    0    12  0.3  0.1   5   1    0  0.1    0   3    2    4    7    0   2    1   2
        65   76    0     5  0.1    0   7   1    0  0.1    0   3    2    3    4    0   2    1   2
        80   76    0   0.5    0    0  10   1    0  0.1    0   3    2    2    2    0   2    2   3
    """),
)
RELATION = (_MARRIED, _WIDOWED, _PARTED, _PARTED, _NEVER)
MEN_RELATION = np.array([1.3, 0.7, *[1.0] * 16])
WOMEN_RELATION = np.array([0.72, 1.32, *[1.0] * 16])
BORN_ABROAD_RELATION = np.array(
    [0.9, 1, 0.6, 1, 0.8, 2.2, 1.6, 0.6, 2, 1.4, 3, 2.5, 1.6, *[1.0] * 5]
)

# Occupation by education; the last three columns are factors: the share of women in it, and how
# much more (or less) common it is before twenty-five and after sixty-five.
OCCUPATION = parse_chances("""
          below  high  some  assoc  bach  mast  doct    women  young  old
    MGR      28    62    92     95   165   175    85     0.40   0.25  1.1
    BUS       4    12    25     28    62    58    14     0.53   0.45  0.9
    FIN       1     8    16     18    62    52    10     0.53   0.50  0.9
    CMM       1     6    20     32    68    62    20     0.25   0.60  0.4
    ENG       1     6    14     30    42    40    20     0.14   0.50  0.7
    SCI     0.3     1     3      5    15    28    70     0.46   0.70  0.7
    CMS       3     6    14     14    26    58    18     0.72   0.60  1.2
    LGL     0.3     2     5     10    10     6   110     0.52   0.40  1.4
    EDU       6    14    30     30   115   250   175     0.76   0.80  1.1
    ENT       5    10    22     18    40    25    10     0.47   1.40  1.2
    MED       1     6    22    125    58    80   330     0.76   0.35  0.8
    HLS      18    28    45     40    10     5     4     0.89   1.10  0.6
    PRT       8    18    32     30    20    10     3     0.21   0.90  0.7
    EAT     125    80    62     28    17     6     3     0.55   3.00  0.4
    CLN     130    55    24     15     7     3     2     0.40   0.80  1.0
    PRS      38    38    45     36    22     9     4     0.79   1.50  1.2
    SAL      88   112   125     90   108    45    18     0.50   1.90  1.3
    OFF      48   130   190    160    95    45    18     0.76   1.00  1.2
    FFF      35     6     3      2     2     1   0.5     0.22   0.90  0.8
    CON     120    88    40     30    12     5     2     0.03   0.70  0.5
    EXT       3     3   1.5    0.8   0.3   0.1   0.1     0.02   0.80  0.3
    RPR      35    58    40     52    10     4     2     0.04   0.60  0.6
    PRD     120   102    48     45    16     6     3     0.28   0.70  0.6
    TRN     118   102    55     32    15     6     3     0.17   1.10  1.2
    MIL     0.5     4     7      5     4     3     2     0.13   3.00  0.0
""")
LATIN_OCCUPATION = factors(
    OCCUPATIONS,
    """
    CLN 2.4  CON 2.0  FFF 4.0  EAT 1.5  PRD 1.5  OFF 0.6  MIL 0.4
    EDU 0.7  LGL 0.5  PRT 0.5  EXT 0.7
    """,
)
ASIAN_OCCUPATION = factors(
    OCCUPATIONS,
    """
    CMM 2.8  ENG 1.8  SCI 1.8  MED 1.5  PRS 2.0  EAT 1.4  CON 0.3
    PRT 0.4  CMS 0.6  LGL 0.4  FFF 0.4  EXT 0.2  EDU 0.7  MIL 0.5
    """,
)

WORKER = parse_chances("""
          profit  charity  local  state  federal  self  inc  unpaid
    MGR       63        8      5      4        3     8    9     0.1
    BUS       64        6      5      5        8     8    4     0.1
    FIN       76        4      3      4        4     5    4     0.1
    CMM       78        5      3      4        5     3    3       0
    ENG       76        2      5      4        7     3    4       0
    SCI       45       13      5     17       15     4    2       0
    CMS       16       38     19     20        2     4  0.6     0.1
    LGL       48        4      8      8        6    13   13       0
    EDU       16       14     50     17      0.5     3  0.3     0.1
    ENT       49        9      4      4        1    28    5     0.3
    MED       56       21      6      7        3     4    4       0
    HLS       72       14      5      5        2     2  0.4     0.1
    PRT       21        2     48     18       11   0.4  0.4       0
    EAT       89        3      4      2      0.4     1  0.5     0.4
    CLN       62        5      9      3        1    16    4     0.3
    PRS       46        9      7      3      0.4    31    3     0.6
    SAL       82        2    0.6    0.4      0.3     8    6     0.4
    OFF       68        8      9      6        6   1.8    1     0.4
    FFF       78        1      2      3        3     9    2     2.5
    CON       69        1      5      2      0.6    16    6     0.3
    EXT       92      0.2      1    0.3      0.3     4    2       0
    RPR       76        2      5      2        4     8    3     0.2
    PRD       90        1      2    0.8      1.5     3    1     0.1
    TRN       80        2      7      2        2     5    2     0.2
    MIL        0        0      0      2       98     0    0       0
""")
YOUNG_WORKER = np.array([1.2, 1, 0.8, 1, 0.5, 0.3, 0.15, 3])
OLD_WORKER = np.array([0.75, 1.1, 0.9, 0.8, 0.6, 2.6, 1.8, 3])
WOMEN_WORKER = np.array([0.95, 1.4, 1.1, 1.1, 0.9, 0.8, 0.5, 1.8])
BORN_ABROAD_WORKER = np.array([1.1, 0.8, 0.6, 0.8, 0.4, 1.3, 1.2, 1])

# Hours: first how full the week is, by age; then the hour within it, heaped on round numbers.
WEEK_AGES = (20, 25, 55, 65, 75)
WEEK = parse_chances("""
          none   few  some  most  full  long  longest
    17      14    20    32    19    12     2        1
    20       7     6    18    25    35     6        3
    25       5   1.4     5    12    52    17        8
    55      11     2     6    11    47    15        8
    65      34     7    14    12    23     6        4
    75      58    10    11     6    10     3        2
""")
FULLNESS = np.array([0, -1.3, -1.0, -0.4, 0.2, 0.9, 1.3])
OCCUPATION_FULLNESS = factors(
    OCCUPATIONS,
    """
    MGR 0.8  BUS 0.3  FIN 0.4  CMM 0.4  ENG 0.5  SCI 0.4  LGL 0.6
    EDU -0.1  ENT -0.5  MED 0.1  HLS -0.3  PRT 0.4  EAT -0.8  CLN -0.6
    PRS -0.9  SAL -0.1  OFF -0.2  FFF 0.6  EXT 1.5  MIL 1.4  TRN 0.1
    CMS 0.2  RPR 0.3  CON 0.0  PRD 0.1
    """,
)
WORKER_WEEK = parse_chances("""
             none   few  some  most  full  long  longest
    profit      1     1     1     1     1     1        1
    charity     1   1.2   1.2   1.2     1     1      0.8
    local     0.9   0.8   0.8     1   1.2   0.8      0.6
    state     0.9     1     1     1   1.2   0.7      0.6
    federal   0.7   0.5   0.5   0.6   1.4   0.7      0.6
    self      1.2   2.2   1.7   1.4   0.6   1.1      1.8
    inc       0.6     1   0.8   0.8   0.8   1.6      2.2
    unpaid    1.5     4     3     2   0.4   0.4      0.8
""")
MEN_WEEK = np.array([0.9, 0.8, 0.75, 0.75, 1.0, 1.25, 1.4])
WOMEN_WEEK = np.array([1.1, 1.2, 1.3, 1.3, 1.0, 0.75, 0.55])
WEEK_STARTS = (1, 15, 25, 40, 41, 55)
HEAPS = factors(
    tuple(str(hour) for hour in HOURS),
    """
    3 2  4 5  5 10  6 7  8 14  10 35  12 15
    15 20  16 13  18 5  20 60  22 2  24 9
    25 18  28 4  30 34  32 15  35 27  36 10  37 4  38 6
    42 4  43 3  44 3  45 35  46 2  48 8  50 48  52 1
    55 20  56 2  60 45  65 7  70 11  72 4  75 2  80 8  84 3  90 2  99 2
    """,
    default=0.4,
)

# Income: points that add up to the log-odds of earning over 50,000 dollars a year.
INCOME_START = -0.9
INCOME_LEVEL = np.array([-1.5, -0.8, -0.9, -0.5, -0.35, 0.0, 0.9, 1.4, 2.1, 2.1])
INCOME_OCCUPATION = factors(
    OCCUPATIONS,
    """
    MGR 1.1  BUS 0.8  FIN 1.0  CMM 1.4  ENG 1.5  SCI 0.6  CMS -0.5
    LGL 1.0  EDU -0.4  ENT -0.1  MED 1.2  HLS -1.3  PRT 0.9  EAT -2.0
    CLN -1.5  PRS -1.7  SAL 0.1  OFF -0.6  FFF -1.5  CON 0.3  EXT 1.2
    RPR 0.5  PRD -0.1  TRN -0.4  MIL 0.2
    """,
)
INCOME_WORKER = np.array([0, -0.35, 0.1, -0.1, 0.8, -1.3, 0.2, -6])
INCOME_SEX = np.array([0, -0.7])
INCOME_MARITAL = np.array([0.4, 0, 0, -0.2, -0.1])
INCOME_BIRTH = np.array([0, -0.2, -0.5, -0.1, 0.2, -0.4, 0.4, 0])
INCOME_AGE = (
    (17, 20, 23, 26, 30, 36, 45, 55, 65, 75, 96),
    (-5.0, -3.5, -1.9, -1.0, -0.3, 0.3, 0.65, 0.65, 0.3, -0.4, -1.2),
)
INCOME_HOURS = (
    (0, 1, 10, 20, 30, 35, 40, 45, 50, 60, 99),
    (-6.0, -5.0, -4.4, -3.2, -1.7, -0.8, 0.0, 0.7, 1.0, 1.2, 1.1),
)


# Drawing people for the simulated census, one attribute after another.
#
#     sex → age → world area of birth → race → schooling → marital status → relationship
#     schooling, sex, age, area of birth → occupation → class of worker → hours → income
#
# Each attribute has one conditional distribution, given some of those before it, built here from
# the weights above.

# SCHL code → ten levels, from below high school to doctorate → seven degrees.
_LEVEL = np.array([*[0] * 15, 1, 2, 3, 4, 5, 6, 7, 8, 9])
_DEGREE = np.array([0, 1, 1, 2, 2, 3, 4, 5, 6, 6])[_LEVEL]

# WAOB code → the three origins whose occupations differ; whether born outside the country.
_ORIGIN = np.array([0, 0, 1, 2, 0, 0, 0, 0])
_ABROAD = np.array([0, 0, 1, 1, 1, 1, 1, 1])
_LATIN = 2


def people(random: np.random.Generator, count: int) -> CodeArray:
    """Draw `count` people as codes, shape (count, 11), in the order of the schema."""
    sex = (random.random(count) < WOMEN).astype(np.int64)
    age = _age().draw(random, sex)
    birth = _birth().draw(random, _band(age, BIRTH_AGES))
    race = _race().draw(random, birth)
    schooling = _schooling().draw(random, _band(age, SCHOOLING_AGES), sex, birth, race)
    degree, abroad, stage = _DEGREE[schooling], _ABROAD[birth], _band(age, STAGE_AGES)
    marital = _marital().draw(random, age, sex, degree)
    relation = _relation().draw(random, marital, _band(age, RELATION_AGES), sex, abroad)
    occupation = _occupation().draw(random, degree, sex, stage, _ORIGIN[birth])
    worker = _worker().draw(random, occupation, stage, sex, abroad)
    week = _week().draw(random, _band(age, WEEK_AGES), occupation, worker, sex)
    hours = _hours().draw(random, week)
    chance = _chance_of_high_income(age, worker, schooling, marital, occupation, sex, hours, birth)
    income = random.random(count) < chance
    return np.column_stack(
        (age, worker, schooling, marital, occupation, relation, race, sex, hours, birth, income)
    ).astype(np.uint16)


def _band(age: IntArray, starts: tuple[int, ...]) -> IntArray:
    """Return the age band of each age code: 0 below the first start, one more from each start
    on."""
    return np.digitize(AGES, starts)[age]


@cache
def _age() -> Conditional:
    """Return the probabilities of age by sex."""
    weights = np.interp(AGES, AGE_KNOTS, AGE_WEIGHTS)
    men = np.interp(AGES, *MEN_AGE)
    return Conditional(np.stack([weights * men, weights]))


@cache
def _birth() -> Conditional:
    """Return the probabilities of the world area of birth by age band."""
    return Conditional(BIRTH)


@cache
def _race() -> Conditional:
    """Return the probabilities of race by world area of birth."""
    return Conditional(RACE)


@cache
def _schooling() -> Conditional:
    """Return the probabilities of schooling by age band, sex, world area of birth and race."""
    lean = SEX_LEAN[:, None, None] + BIRTH_LEAN[:, None] + RACE_LEAN
    levels = _tilt(SCHOOLING[:, None, None, None, :], lean, RUNG)
    return Conditional(levels[..., _LEVEL] * _shares_within_levels()[:, None, :, None, :])


def _shares_within_levels() -> FloatArray:
    """Return the share of each SCHL code in its level, shape (age band, area of birth, 24)."""
    minor, adult, latin = GRADES / GRADES.sum(axis=1, keepdims=True)
    shares = np.ones((len(SCHOOLING), len(RACE), len(_LEVEL)))
    shares[..., : len(adult)] = adult
    shares[:, _LATIN, : len(latin)] = latin
    shares[:2, :, : len(minor)] = minor
    return shares


@cache
def _marital() -> Conditional:
    """Return the probabilities of marital status by age, sex and degree."""
    by_age = np.stack([_between(knots) for knots in MARITAL], axis=1)
    settled = SETTLED_MARITAL ** DEGREE_SETTLED[:, None]
    return Conditional(by_age[:, :, None, :] * settled)


def _between(knots: FloatArray) -> FloatArray:
    """Fill in rows given at `MARITAL_AGES` for every age by straight lines."""
    columns = [np.interp(AGES, MARITAL_AGES, column) for column in knots.T]
    return np.stack(columns, axis=1)


@cache
def _relation() -> Conditional:
    """Return the probabilities of the relationship to the householder by marital status, age band,
    sex and birth abroad."""
    weights = np.stack(RELATION)[:, :, None, None, :]
    sexes = np.stack([MEN_RELATION, WOMEN_RELATION])[:, None, :]
    return Conditional(weights * sexes * _unless(BORN_ABROAD_RELATION))


@cache
def _occupation() -> Conditional:
    """Return the probabilities of occupation by degree, sex, stage of life and origin."""
    *_, women, young, old = OCCUPATION.T
    degrees = OCCUPATION[:, :-3].T[:, None, None, None, :]
    sexes = np.stack([1 - women, women])[:, None, None, :]
    stages = np.stack([young, np.ones_like(young), old])[:, None, :]
    plain = np.ones_like(women)
    origins = np.stack([plain, LATIN_OCCUPATION, ASIAN_OCCUPATION])
    return Conditional(degrees * sexes * stages * origins)


@cache
def _worker() -> Conditional:
    """Return the probabilities of the class of worker by occupation, stage of life, sex and birth
    abroad."""
    plain = np.ones_like(OLD_WORKER)
    stages = np.stack([YOUNG_WORKER, plain, OLD_WORKER])[:, None, None, :]
    sexes = _unless(WOMEN_WORKER)[:, None, :]
    occupations = WORKER[:, None, None, None, :]
    return Conditional(occupations * stages * sexes * _unless(BORN_ABROAD_WORKER))


@cache
def _week() -> Conditional:
    """Return how full the working week is, by age band, occupation, class of worker and sex."""
    by_age = WEEK[:, None, None, None, :]
    occupations = _tilt(by_age, OCCUPATION_FULLNESS[:, None, None], FULLNESS)
    sexes = np.stack([MEN_WEEK, WOMEN_WEEK])
    return Conditional(occupations * WORKER_WEEK[:, None, :] * sexes)


@cache
def _hours() -> Conditional:
    """Return the probabilities of hours by how full the week is."""
    weeks = np.digitize(HOURS, WEEK_STARTS)
    return Conditional((weeks == np.arange(weeks.max() + 1)[:, None]) * HEAPS)


def _chance_of_high_income(
    age: IntArray,
    worker: IntArray,
    schooling: IntArray,
    marital: IntArray,
    occupation: IntArray,
    sex: IntArray,
    hours: IntArray,
    birth: IntArray,
) -> FloatArray:
    """Return the probability that each person earns above the line, shape (n,)."""
    log_odds = (
        INCOME_START
        + np.interp(AGES, *INCOME_AGE)[age]
        + INCOME_WORKER[worker]
        + INCOME_LEVEL[_LEVEL[schooling]]
        + INCOME_MARITAL[marital]
        + INCOME_OCCUPATION[occupation]
        + INCOME_SEX[sex]
        + np.interp(HOURS, *INCOME_HOURS)[hours]
        + INCOME_BIRTH[birth]
    )
    chance: FloatArray = 1 / (1 + np.exp(-log_odds))
    return chance


def _tilt(weights: FloatArray, lean: FloatArray, direction: FloatArray) -> FloatArray:
    """Return weights pulled along `direction` (one number per child value) as far as `lean`
    says."""
    return weights * np.exp(lean[..., None] * direction)


def _unless(factor: FloatArray) -> FloatArray:
    """Return two rows, for a flag that is down (no effect) and one that is up (the factor)."""
    return np.stack([np.ones_like(factor), factor])


TABLE = FILES / "census.csv"
SCHEMA = FILES / "census.schema.json"
RULED_SCHEMA = FILES / "census-ruled.schema.json"
"""The same columns with rules, a level above the buckets and a derived band."""
SHIPPED_ROWS = 60_000
SHIPPED_SEED = 2013


def schema(*, ruled: bool = False) -> Schema:
    """Return what each column of the census may contain, and its buckets; declared public.

    Args:
        ruled: with the rules that everybody of the census keeps, a level of schooling above the
            buckets, and a band of ages that is derived.
    """
    return Schema.load(RULED_SCHEMA if ruled else SCHEMA)


def simulate(rows: int, seed: int) -> CodeArray:
    """Return simulated people as codes, shape (rows, 11), in the order of the schema.

    A longer table from the same seed begins with the shorter one.

    Raises:
        Refusal: `rows` is not positive or `seed` is negative.
    """
    return np.concatenate(list(pieces(people, rows, seed)))


def write(rows: int, destination: Path, seed: int = SHIPPED_SEED) -> None:
    """Write simulated people to a CSV file, all of them or no file.

    Raises:
        Refusal: `rows` is not positive, `seed` is negative, or the file cannot be written.
    """
    write_pieces(schema(), pieces(people, rows, seed), destination)
