"""What became of positions, in numbers and in sentences. Internal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from understudy.table.positions.positions import Positions


@dataclass(frozen=True)
class Counted:
    """Counts of the confidential file, none of which leaves.

    Attributes:
        positions: how many there were.
        faulty: how many of these could not be used and were left out.
        people: how many people have one that could be used.
        rows: how many rows were made.
        outside: how many positions lie off the map.
        late, shortened: how many lie beyond the days that are kept, and of how many people.
        single: how many people have one position alone.
        unordered: how many stand behind a later one of the same person.
        contrary: how many are of the same person and moment as another, in another cell.
        zoneless: how many times name no zone.
        gaps: after how many somebody counts as outside, as the next comes too late.
    """

    positions: int
    faulty: int
    people: int
    rows: int
    outside: int
    late: int
    shortened: int
    single: int
    unordered: int
    contrary: int
    zoneless: int
    gaps: int

    def sentences(self, how: Positions) -> tuple[str, ...]:
        """Return what a custodian should know of it."""
        return tuple(self._sentences(how))

    def _sentences(self, how: Positions) -> Iterator[str]:
        yield (
            f"{_some(self.positions, 'position')} of {_some(self.people, 'person', 'people')} "
            f"became {_some(self.rows, 'row')}."
        )
        used = self.positions - self.faulty
        if self.faulty:
            yield (
                f"{_some(self.faulty, 'position')} could not be used, and nothing is made of "
                "them, as is declared: no person, time or place could be read, or the place is "
                "off the earth or not in the list."
            )
        if self.outside:
            yield f"{_some(self.outside, 'position lies', 'positions lie')} off the map: outside."
        if 2 * self.outside > used:
            yield "That is most of them: check the bounds of the area."
        if self.late:
            yield (
                f"After the first {how.days:,} days, which are kept, come "
                f"{_some(self.late, 'position')} of {_some(self.shortened, 'person', 'people')}; "
                "nothing is made of them."
            )
        yield from self._of_people(how)

    def _of_people(self, how: Positions) -> Iterator[str]:
        if self.single:
            yield (
                f"{_some(self.single, 'person has', 'people have')} one position only: they are "
                "kept, in one place for one day."
            )
        if self.unordered:
            yield (
                f"{_some(self.unordered, 'position')} stood behind a later one of the same person "
                "in the file, which is put in order."
            )
        if self.contrary:
            yield (
                f"{_some(self.contrary, 'time')}, somebody is in two cells at one moment: the "
                "position that stands last in the file holds."
            )
        if self.zoneless:
            yield (
                f"{_some(self.zoneless, 'position names', 'positions name')} no time zone: their "
                f"times are taken to be by the clocks of {how.zone}."
            )
        if self.gaps:
            yield (
                f"After {_some(self.gaps, 'position')} the next comes more than {how.gap_hours} "
                "hours later: from then on the person counts as outside."
            )


def _some(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
