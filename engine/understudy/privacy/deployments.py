"""ε and δ that other organisations published for their releases, each with its source.

An ε means something only together with what it protects (the unit), by what the two tables differ
(the neighbours), and which releases it counts. These differ between any two of the deployments, and
from ours, so nothing follows from one ε being larger than another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Deployment:
    """A release whose privacy figures were published.

    Attributes:
        name: what was released, by whom.
        year: since when.
        epsilon, delta: as the source states them; δ is None where it gives none.
        unit: what is protected.
        covers: which releases the figures count.
        source: the document that states them.
        address: the URL of the source.
    """

    name: str
    year: int
    epsilon: float
    unit: str
    covers: str
    source: str
    address: str
    delta: float | None = 0.0


DEPLOYMENTS: Final = (
    Deployment(
        name="Wikimedia, page views by country and page",
        year=2023,
        epsilon=1.0,
        delta=1e-7,
        unit="the first 10 pages that one device views on one day",
        covers="one day of counts; the next day is counted anew. About that much: the noise is "
        "stated as ρ = 0.015",
        source="Wikimedia Foundation, notes to the data set",
        address="https://analytics.wikimedia.org/published/datasets/country_project_page/"
        "00_README.html",
    ),
    Deployment(
        name="Apple, popular emoji",
        year=2017,
        epsilon=4.0,
        unit="what one device sends at once, which it does once a day",
        covers="one day; the noise is added on the device, before Apple sees anything",
        source="Apple, “Differential Privacy Overview”",
        address="https://www.apple.com/privacy/docs/Differential_Privacy_Overview.pdf",
    ),
    Deployment(
        name="Israel’s Ministry of Health, synthetic table of live births in 2014",
        year=2024,
        epsilon=9.98,
        unit="one birth: mother and newborn",
        covers="the whole table, the choice of the model and the published measures of quality",
        source="Hod and Canetti 2024, arXiv:2405.00267",
        address="https://arxiv.org/abs/2405.00267",
    ),
    Deployment(
        name="United States Census 2020, redistricting data on persons",
        year=2021,
        epsilon=17.14,
        delta=None,
        unit="one person’s answers, exchanged for others",
        covers="all tables on persons in this product; some totals, such as those of the states, "
        "are published exactly and counted nowhere. Housing units: ε = 2.47 more",
        source="U.S. Census Bureau, 9 June 2021",
        address="https://www.census.gov/newsroom/press-releases/2021/2020-census-key-parameters.html",
    ),
    Deployment(
        name="LinkedIn, audience engagements",
        year=2020,
        epsilon=34.9,
        delta=7e-9,
        unit="one member",
        covers="everything that one advertiser may ask in one month",
        source="Rogers et al. 2020, arXiv:2002.05839",
        address="https://arxiv.org/abs/2002.05839",
    ),
)
"""Ordered by what is protected, from one day or action of a person to the person for good, and
within that by ε."""
