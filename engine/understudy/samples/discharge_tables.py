"""The invented weights behind the simulated discharges. Nobody in this table exists.

Every number here was made up. Together they give the shares of women, deaths, planned stays and
births that were published of the hospital discharges of Bindschaedler (2018, Table 9.4), of all
and of those that have to do with alcohol; none was estimated from records.
"""

from __future__ import annotations

from typing import Final

from understudy.samples.conditional import table

TUMOURS: Final = tuple(f"CAT{number}" for number in range(11, 48))
"""Their groups, the last flags of the table."""

# What stays are made of: how common each kind is, which share of it has to do with alcohol, and
# the chance of each flag. Given the kind, and alcohol, flags are independent.
STAYS = table("""
                     share  alcohol  female    died  elective  birth  operated
    newborn          .1007   .00012     .49    .004      .255      1      .002
    childbirth        .066     .004       1   .0002       .38      0       .06
    caesarean         .034     .002       1   .0002       .50      0       .97
    planned-surgery  .0577    .0227     .55    .004      .985      0       .93
    planned-stay     .0310     .036     .54     .02       .97      0       .06
    urgent-surgery    .108     .058     .50    .022       .03      0       .96
    emergency        .4956     .077    .577   .0215       .03      0       .03
    fibroids          .012     .008       1   .0002       .85      0       .96
    tumour-surgery    .018     .035     .50    .006       .88      0       .95
    advanced-tumour   .026     .010     .50     .10       .33      0       .03
    chemotherapy      .007     .006     .48    .012       .80      0       .03
    blood             .019     .008     .45    .055       .17      0       .05
    urology           .015      .06     .08     .03       .12      0       .12
    benign            .010      .04     .58    .012       .25      0       .25
""")
NEWBORN: Final = 0

# The chance of each tumour in each kind of stay; where it isn't named, `ELSEWHERE`, and none in
# newborns.
ELSEWHERE: Final = 0.0001
TUMOURS_BY_STAY: Final = (
    "",
    "CAT46 .006",
    "CAT46 .02  CAT47 .008",
    "CAT47 .02  CAT29 .01  CAT24 .01",
    "",
    "CAT47 .01  CAT29 .01",
    """
    CAT47 .008  CAT29 .011  CAT24 .011  CAT32 .004  CAT14 .004  CAT19 .003  CAT39 .003  CAT38 .003
    """,
    "CAT46 .92  CAT47 .15  CAT44 .06  CAT25 .03",
    """
    CAT14 .16  CAT15 .06  CAT19 .12  CAT24 .13  CAT29 .15  CAT33 .11  CAT36 .05  CAT32 .05
    CAT25 .08  CAT42 .03  CAT35 .05  CAT47 .15  CAT17 .03  CAT11 .05  CAT44 .05
    """,
    """
    CAT42 .93  CAT19 .28  CAT14 .10  CAT24 .13  CAT17 .07  CAT16 .05  CAT27 .05  CAT33 .04
    CAT29 .07  CAT18 .06  CAT41 .06  CAT43 .05  CAT21 .04  CAT12 .03  CAT13 .03  CAT15 .04
    CAT22 .04  CAT45 .03
    """,
    """
    CAT45 .95  CAT39 .32  CAT38 .25  CAT42 .02  CAT40 .07  CAT37 .04  CAT21 .04  CAT27 .04
    CAT24 .04
    """,
    "CAT39 .38  CAT38 .36  CAT40 .23  CAT44 .12  CAT37 .04  CAT45 .05",
    "CAT29 .72  CAT32 .40  CAT33 .07  CAT34 .04  CAT42 .03",
    "CAT47 .95  CAT44 .16  CAT46 .02  CAT36 .03",
)

# By what alcohol multiplies the odds that the patient is a woman.
WOMEN_BY_ALCOHOL: Final = 0.295
