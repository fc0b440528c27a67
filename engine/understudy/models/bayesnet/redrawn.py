"""A model that keeps or redraws every attribute by its own coin; it has no prefix index.

With probability 1 − θ an attribute of the candidate is the seed's, and with probability θ it is
drawn from a distribution of its own, whatever the seed's. Which attributes were redrawn stays
hidden, so every record may have made every candidate, and there is no prefix to look up.

*Sampler and score agree.* Of an attribute, let T_v out of 2^48 be the chance that v was redrawn,
and S = 2^48 − Σ T_v the chance that the seed's was kept. The sampler draws from these integers
exactly, and

    ln p_d(y) = Σ_j ln(T_{y_j}/2^48)  +  Σ_{j : d_j = y_j} ln((S + T_{y_j})/T_{y_j})

The logarithms are rounded to whole multiples of one power of two, the finest of which no sum of
them reaches 2^53. So every sum is exact in double precision in any order, and an entry is the
same to the last bit whatever else is asked about along with it, and by whichever routine of linear
algebra. As T is 2^24 at least, that power is no coarser than 2^−39 for up to 255 attributes, and p
is told within a factor of 1 ± (m + 1)·2^−40.

*Rules.* Attributes are drawn in an order along which masks are compiled, and a mask M is a function
of what the candidate has in attributes before. Of the outcomes “kept” and “redrawn as v” those are
left whose value is, so that the chance of y_j is divided by

    N = Σ_{v ∈ M} T_v + S·[d_j ∈ M]

which depends on the record by one bit. Both its logarithms are rounded likewise, and sums stay
exact: the power of two is at most twice as coarse, and p is told within 1 ± 2^−32 for up to
`MOST_RULED` attributes with a mask.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.categorical import WHOLE, ConditionalTable
from understudy.privacy.randomness import RandomSource
from understudy.table.rules.masks import Masks, compile_masks, order_for
from understudy.table.rules.relation import Relations

_RAREST = 1 << 24
"""The least T, which bounds the logarithms and so their multiples."""

MOST_RULED = 64
"""Attributes with a mask, at most."""

_FEW = 16
"""Values of an attribute up to which their indicators go into a matrix product."""


@dataclass(frozen=True, eq=False)
class Redrawn:
    """The model, for attributes in schema order.

    Attributes:
        chances: for each attribute, T_v for every value v, at least 2^24, and S last, at least 0;
            they sum to 2^48.
        order: the attributes in the order they are drawn in; as they come, if left out.
        masks: what earlier attributes leave of others, along that order.

    Raises:
        ValueError: they are out of bounds, or there are too many attributes or masks.
    """

    chances: tuple[IntArray, ...]
    order: tuple[int, ...] = ()
    masks: Masks = field(default_factory=dict)

    def __post_init__(self) -> None:
        for each in self.chances:
            if each.sum() != WHOLE or each[-1] < 0 or (each[:-1] < _RAREST).any():
                raise ValueError("the chances of an attribute are out of bounds")
        if not 1 <= len(self.chances) <= 255:
            raise ValueError("the model is for 1 to 255 attributes")
        if len(self.masks) > MOST_RULED:
            raise ValueError(f"the model is for {MOST_RULED} masks at most")
        if not self.order:
            object.__setattr__(self, "order", tuple(range(len(self.chances))))

    @classmethod
    def of(cls, marginals: BayesianNetwork, redrawn: float | Sequence[float]) -> Redrawn:
        """Return the model that redraws attributes from a network without edges.

        Args:
            marginals: such as `learn_marginals` learns under a guarantee.
            redrawn: θ, for all attributes or for each, in schema order.

        Raises:
            ValueError: θ is not from 0 to 1, their number is not that of the attributes, or the
                network has edges.
        """
        shares = np.broadcast_to(np.asarray(redrawn, dtype=np.float64), (len(marginals.tables),))
        if not ((shares >= 0) & (shares <= 1)).all() or any(marginals.parents):
            raise ValueError("θ has to be from 0 to 1, and the network without edges")
        tables = zip(marginals.tables, shares.tolist(), strict=True)
        chances = tuple(_chances(table.weights[0], share) for table, share in tables)
        return cls.under_rules(chances, marginals.schema.relations)

    @classmethod
    def under_rules(cls, chances: tuple[IntArray, ...], relations: Relations) -> Redrawn:
        """Return the model of these chances that proposes no record which breaks a relation.

        Raises:
            ValueError: as of the model, or no record meets the relations.
            TooWide: they bind too many values.
        """
        if not relations:
            return cls(chances)
        order = order_for(relations, range(len(chances)))
        return cls(chances, order, compile_masks(relations, order))

    @classmethod
    def of_weights(cls, weights: Sequence[IntArray], redrawn: float) -> Redrawn:
        """Return the model that redraws each attribute from its own distribution.

        Args:
            weights: for each attribute, those of its values out of 2^48.
            redrawn: θ, from 0 to 1.
        """
        return cls(tuple(_chances(each, redrawn) for each in weights))

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """Return a candidate of each seed: (B, m) codes of (B, m) codes; a word an attribute, and
        further ones where a rule forbids what came of it."""
        made = np.zeros(seeds.shape, dtype=np.uint16)
        first = np.zeros(len(seeds), dtype=np.int64)
        for attribute in self.order:
            table, own = self._tables[attribute], seeds[:, attribute]
            drawn = table.draw(first, source)
            made[:, attribute] = np.where(drawn == table.cardinality - 1, own, drawn)
            mask = self.masks.get(attribute)
            if mask is None:
                continue
            (strays,) = np.nonzero(~mask.allows(list(made.T), made[:, attribute]))
            if not len(strays):
                continue
            left = mask.of(list(made[strays].T))
            kept = left[np.arange(len(strays)), own[strays]]
            outcomes = np.column_stack([left, kept])
            drawn = table.draw_within(first[strays], outcomes, source)
            made[strays, attribute] = np.where(drawn == table.cardinality - 1, own[strays], drawn)
        return made

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (n, B) ln p_d(y) of (n, m) records d and (B, m) candidates y."""
        attribute, value, gain = self._indicators
        columns = len(attribute)
        asked = candidates[:, attribute]
        weight = np.empty((len(candidates), columns + 1))
        # Of an attribute of few values, "d has 0" is 1 less "d has another": one column is saved.
        weight[:, :columns] = np.where(asked == value, gain, 0.0)
        weight[:, :columns] -= np.where(asked == 0, self._of_zero[attribute], 0.0)
        weight[:, columns] = self._whatever_the_seed(candidates)
        possible = np.ones(len(candidates), dtype=bool)
        made = list(candidates.T)
        more = []
        for place, mask in self.masks.items():
            possible &= mask.allows(made, made[place])
            left = mask.of(made)
            whole, gained = self._divisors(place, left)
            weight[:, columns] -= whole
            if place in self._many:
                more.append((place, left, gained))
                continue
            own = np.flatnonzero(attribute == place)
            weight[:, own] += np.where(left[:, value[own]], gained[:, None], 0.0)
            zero = np.where(left[:, 0], gained, 0.0)
            weight[:, own] -= zero[:, None]
            weight[:, columns] += zero
        held = np.ones((columns + 1, len(seeds)))
        np.equal(seeds.T[attribute], value[:, None], out=held[:columns], casting="unsafe")
        found = weight @ held
        for each in self._many:
            agree = candidates[:, each, None] == seeds[:, each]
            found += np.where(agree, self.logs[each][1][candidates[:, each], None], 0.0)
        for each, left, gained in more:
            found += np.where(left[:, seeds[:, each]], gained[:, None], 0.0)
        found[~possible] = -np.inf
        return np.asarray(found.T)

    def _divisors(self, attribute: int, left: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return (B,) ln N of a record whose value is not left, and what ln p gains where it is, in
        multiples of the unit.

        Args:
            attribute: with a mask.
            left: (B, values) which are left of each candidate.
        """
        chances = self.chances[attribute]
        drawn = np.where(left, chances[:-1], 0).sum(axis=1)
        alone, both = (
            np.rint(np.log(each / WHOLE) / self._unit) * self._unit
            for each in (drawn, drawn + chances[-1])
        )
        return alone, alone - both

    def _whatever_the_seed(self, candidates: CodeArray) -> FloatArray:
        """Return (B,) what every record's likelihood has in it: that all was redrawn, and the gain
        of having 0 where `log_likelihood` takes it back."""
        starts, alone = self._alone
        return np.asarray(
            alone[starts + candidates].sum(axis=1) + (candidates == 0) @ self._of_zero
        )

    @cached_property
    def _alone(self) -> tuple[IntArray, FloatArray]:
        """Where the values of each attribute begin, and ln(T/2^48) of all of them."""
        sizes = [len(alone) for alone, _ in self.logs]
        return np.cumsum([0, *sizes[:-1]]), np.concatenate([alone for alone, _ in self.logs])

    @cached_property
    def logs(self) -> tuple[tuple[FloatArray, FloatArray], ...]:
        """For each attribute and value, ln(T/2^48) and ln((S + T)/T), in multiples of the unit."""
        unit = self._unit
        return tuple(
            (alone, np.rint(both / unit) * unit - alone)
            for alone, both in ((np.rint(alone / unit) * unit, both) for alone, both in self._exact)
        )

    @cached_property
    def _exact(self) -> tuple[tuple[FloatArray, FloatArray], ...]:
        """For each attribute and value, ln(T/2^48) and ln((S + T)/2^48), as logarithms are
        rounded."""
        return tuple(
            (np.log(each[:-1] / WHOLE), np.log((each[:-1] + each[-1]) / WHOLE))
            for each in self.chances
        )

    @cached_property
    def _unit(self) -> float:
        """The power of two that logarithms are multiples of. N is no less than some T, so a mask
        adds at most two logarithms as far from 0 as that of the rarest value."""
        most = sum(float(np.max(both - alone) - np.min(alone)) for alone, both in self._exact)
        most += sum(-2 * float(np.min(self._exact[place][0])) for place in self.masks)
        return 2.0 ** (math.ceil(math.log2(most + 1)) - 53)

    @cached_property
    def _many(self) -> list[int]:
        return [at for at, each in enumerate(self.chances) if len(each) - 1 > _FEW]

    @cached_property
    def _of_zero(self) -> FloatArray:
        """(m,) the gain of having 0, for attributes of few values; 0 for the others."""
        gains = [gain[0] for _, gain in self.logs]
        gains = [0.0 if at in self._many else gain for at, gain in enumerate(gains)]
        return np.array(gains)

    @cached_property
    def _indicators(self) -> tuple[npt.NDArray[np.intp], CodeArray, FloatArray]:
        """The attribute, the value and its gain of each column of the matrix product: all values
        but the first, of attributes of few."""
        few = [
            (at, value, gain[value])
            for at, (_, gain) in enumerate(self.logs)
            if at not in self._many
            for value in range(1, len(gain))
        ]
        attribute, value, gain = np.array(few).reshape(-1, 3).T
        return attribute.astype(np.intp), value.astype(np.uint16), gain

    @cached_property
    def _tables(self) -> tuple[ConditionalTable, ...]:
        return tuple(ConditionalTable(each[None]) for each in self.chances)


def _chances(weights: IntArray, redrawn: float) -> IntArray:
    """Return T for every value and S last, of a marginal in integers out of 2^48 and θ."""
    drawn = np.maximum(np.floor(weights * redrawn).astype(np.int64), _RAREST)
    # The mode loses what the rarest values gain.
    drawn[drawn.argmax()] -= max(0, int(drawn.sum()) - WHOLE)
    return np.append(drawn, WHOLE - drawn.sum())
