"""What an account covers and what it assumes, in plain words."""

from __future__ import annotations

from understudy.core.rounding import upwards
from understudy.privacy.accounting.account import Account


def coverage(figures: Account) -> str:
    """Return what the total bounds, and what it assumes."""
    if figures.unit is None:
        return (
            "The deterministic test gives no differential privacy: a released record has "
            f"at least {figures.test.k:,} plausible seeds, and nothing more is promised."
        )
    return " ".join([_bounds(figures), *_counts_on(figures)])


def _bounds(figures: Account) -> str:
    """Return whose records the total covers, and which outputs of the run."""
    who = (
        "one seed record"
        if figures.records_per_person == 1
        else f"up to {figures.records_per_person:,} seed records of one person"
    )
    bounds = f"It bounds what adding or removing {who} changes in"
    released = f"{figures.count:,} released record{'' if figures.count == 1 else 's'}"
    match figures.protocol:
        case "published":
            return (
                f"{bounds} {released}, rejections ignored: the published reading, to compare "
                "with. A real reader sees more."
            )
        case "releases":
            took = "it took, nor how long" if figures.count == 1 else "they took, nor how long"
            return f"{bounds} {released}, provided that nobody learns how many attempts {took}."
    if figures.pass_cap is None:
        return (
            f"{bounds} the records that {figures.counted} can release; it leaves out the "
            "rejections, and so how many attempts passed."
        )
    return (
        f"{bounds} everything that {figures.counted} can yield, released records and rejections "
        f"alike, provided that there are at least {figures.seeds_at_least:,} seeds and that every "
        f"candidate which passes is still rejected with probability {upwards(figures.pass_cap, 3)}."
    )


def _counts_on(figures: Account) -> list[str]:
    """Further assumptions."""
    said = []
    if figures.unit is not None and figures.unit.pass_floor is not None:
        said.append(
            f"It counts on at least {upwards(100 * figures.unit.pass_floor, 6)} % of all attempts "
            "passing, with or without any one record."
        )
    if figures.protocol != "attempts" and figures.seeds_at_least is not None:
        said.append(f"It counts on at least {figures.seeds_at_least:,} seeds.")
    if figures.sampling is not None:
        said.append(
            "It is the same whether or not the input is a sample. The figure between populations "
            "counts on the input being a secret random sample that each member of the population "
            f"entered independently with probability {upwards(figures.sampling, 6)}."
        )
    return said
