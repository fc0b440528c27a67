"""The options that set a plan, what each means, and the plan they make together."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from engine.cli.verb import Noise, noise, number, one_of, whole
from engine.core.refusal import Refusal

if TYPE_CHECKING:
    from engine.mechanisms.seedbased.plan import Plan
    from engine.privacy.plausibility.privacy_test import PrivacyTest
    from engine.table.schema import Schema

Test = Literal["plausible-deniability", "relative-sensitivity"]
Protocol = Literal["attempts", "releases"]
Reading = Literal["hidden", "announced"]
ModelKind = Literal["calibrated", "network", "marginals"]
Estimate = Literal["mean", "sampled"]

_TEST = "Privacy test"
_RUN = "Run"
_MODEL = "Model"
_DATA = "Records"

_OUTSIDE = "outside:"
_PARTS = ("seeds", "structure", "parameters", "held_out")
_POLICIES = ("refuse", "missing", "clip")

TEST = typer.Option(
    "--test",
    metavar="TEST",
    parser=one_of(*get_args(Test)),
    show_default=False,
    rich_help_panel=_TEST,
    help="plausible-deniability, which counts the records that are about as likely to have made "
    "a candidate as its seed is; or relative-sensitivity, which weighs all less likely ones too, "
    "and usually passes more at the same ε (default plausible-deniability; plan: "
    "relative-sensitivity).",
)
K = typer.Option(
    "--k",
    metavar="RECORDS",
    show_default=False,
    parser=whole,
    rich_help_panel=_TEST,
    help="How many records must be plausible seeds of a released one (default 50; plan: the "
    "smallest).",
)
GAMMA = typer.Option(
    "--gamma",
    metavar="FACTOR",
    show_default=False,
    parser=number,
    rich_help_panel=_TEST,
    help="γ: the factor within which two likelihoods count as similar, more than 1 (default 4; "
    "relative-sensitivity has none).",
)
EPSILON0 = typer.Option(
    "--epsilon0",
    metavar="NUMBER",
    show_default=False,
    parser=noise,
    rich_help_panel=_TEST,
    help="ε0: the noise on k has the scale 1/ε0, in records (default 1). “none” is the "
    "test without noise, which gives no differential privacy.",
)
T = typer.Option(
    "--t",
    metavar="RECORDS",
    show_default=False,
    parser=whole,
    rich_help_panel=_TEST,
    help="t of the theorem, less than k: trades ε for δ in the statement and changes nothing "
    "in a run (default: the best for δ).",
)
DELTA = typer.Option(
    "--delta",
    metavar="NUMBER",
    show_default=False,
    parser=number,
    rich_help_panel=_RUN,
    help="δ of the total: what is added to e^ε times the probability; far below one in the "
    "number of records (default 1e-9).",
)
SEEDS_AT_LEAST = typer.Option(
    "--seeds-at-least",
    metavar="RECORDS",
    show_default=False,
    parser=whole,
    rich_help_panel=_RUN,
    help="How many seed records are counted on. The guarantee then covers rejections "
    "(synthesize and propose: as many as follow from the records; account and plan: left out).",
)
RECORDS = typer.Option(
    "--records",
    metavar="RECORDS",
    show_default=False,
    parser=whole,
    rich_help_panel=_RUN,
    help="How many records everybody may know the table to have at least, with or without any "
    "one person: from a publication, not counted in it. A plan that looks at seeds counts on it.",
)
PROTOCOL = typer.Option(
    "--protocol",
    metavar="attempts or releases",
    parser=one_of(*get_args(Protocol)),
    show_default=False,
    rich_help_panel=_RUN,
    help="What a reader may see: every attempt, its rejection too; or exactly N records, how many "
    "attempts they took being hidden (default attempts).",
)
ANY_PROTOCOL = typer.Option(
    "--protocol",
    metavar="PROTOCOL",
    parser=one_of(*get_args(Protocol), "published"),
    show_default=False,
    rich_help_panel=_RUN,
    help="What a reader may see: attempts, where every attempt counts; releases, where exactly N "
    "records are released and their attempts hidden; or published, where rejections are ignored, "
    "for comparison only (default attempts).",
)
PASS_FLOOR = typer.Option(
    "--pass-floor",
    metavar="SHARE",
    show_default=False,
    parser=number,
    rich_help_panel=_RUN,
    help="With releases: a share of the attempts that is sure to pass whatever the table, such as "
    "0.1. A run that falls under it stops and releases nothing.",
)
RECORDS_PER_PERSON = typer.Option(
    "--records-per-person",
    metavar="RECORDS",
    show_default=False,
    parser=whole,
    rich_help_panel=_RUN,
    help="The most records that one person may have in the table; the guarantee is for all of "
    "them together (default 1).",
)
TARGET_EPSILON = typer.Option(
    "--target-epsilon",
    metavar="NUMBER",
    show_default=False,
    parser=number,
    rich_help_panel=_RUN,
    help="The total ε to stay within: the smallest k that does, its ε0 and t are then found, and "
    "the model's ε is at most this (default: k and ε0 are chosen by hand).",
)
EQUAL_LIKELIHOOD = typer.Option(
    "--equal-likelihood",
    rich_help_panel=_TEST,
    help="All seeds that can make a candidate make it equally likely, as they do where ω "
    "is fixed or announced: γ then counts as 1.",
)
SAMPLING = typer.Option(
    "--sampling",
    metavar="CHANCE",
    show_default=False,
    parser=number,
    rich_help_panel=_RUN,
    help="The chance with which each member of a population got into the table, only where "
    "the table is itself a secret random sample. Adds a figure between populations and changes "
    "none between tables (default: not claimed).",
)
ATTEMPTS = typer.Option(
    "--attempts",
    metavar="N",
    show_default=False,
    parser=whole,
    rich_help_panel=_RUN,
    help="How many candidates are made and tested, each paid for; with releases, how many "
    "records are released (default 5000).",
)
OMEGA = typer.Option(
    "--omega",
    metavar="N or N-N",
    show_default=False,
    rich_help_panel=_RUN,
    help="ω: how many attributes, the last in dependency order, are drawn afresh: 9, or a "
    "range such as 5-11 (default: all of them or all but one).",
)
READING = typer.Option(
    "--reading",
    metavar="hidden or announced",
    parser=one_of(*get_args(Reading)),
    show_default=False,
    rich_help_panel=_RUN,
    help="Of a range of ω: whether its value is a coin that the reader never sees, or is "
    "known for each attempt (default hidden).",
)


def _model_kind(text: str) -> str:
    if text.startswith(_OUTSIDE):
        return text
    return one_of(*get_args(ModelKind), f"{_OUTSIDE}NAME")(text)


MODEL_EPSILON = typer.Option(
    "--model-epsilon",
    metavar="NUMBER",
    show_default=False,
    parser=noise,
    rich_help_panel=_MODEL,
    help="ε for learning the model; of the published network, for structure and parameters each, "
    "which see different records (default 1). “none” learns without noise, for comparison only: "
    "nothing is then promised.",
)
MODEL_KIND = typer.Option(
    "--model",
    metavar="calibrated, network, marginals or outside:NAME",
    parser=_model_kind,
    show_default=False,
    rich_help_panel=_MODEL,
    help="The calibrated model, the Bayesian network as published, every attribute on its own, or "
    "a model that another package brings, on its own word (default calibrated).",
)
ESTIMATE = typer.Option(
    "--estimate",
    metavar="mean or sampled",
    parser=one_of(*get_args(Estimate)),
    show_default=False,
    rich_help_panel=_MODEL,
    help="Probabilities are the mean of what the noisy counts allow, or a draw from it "
    "(default mean).",
)
SHARES = typer.Option(
    "--shares",
    metavar="S,T,P,H",
    show_default=False,
    rich_help_panel=_DATA,
    help="The chance that a record serves as a seed, for the structure, for the parameters, "
    "or is held out; together 1 (default 0.3,0.3,0.3,0.1).",
)
OUTSIDE = typer.Option(
    "--outside",
    metavar="COLUMN=POLICY",
    show_default=False,
    rich_help_panel=_DATA,
    help="What becomes of values of a column that are outside the schema: refuse, missing, "
    "or clip to the nearest number (default refuse). May be repeated.",
)
Json = Annotated[
    bool,
    typer.Option("--json", help="Print the figures as one JSON object."),
]


@dataclass(frozen=True)
class Settings:
    """The settings of a plan as they were typed; None for an option that was left out."""

    test: Test | None = None
    k: int | None = None
    gamma: float | None = None
    epsilon0: Noise | None = None
    target_epsilon: float | None = None
    protocol: Protocol | None = None
    pass_floor: float | None = None
    records_per_person: int | None = None
    omega: str | None = None
    reading: Reading | None = None
    attempts: int | None = None
    delta: float | None = None
    t: int | None = None
    seeds_at_least: int | None = None
    records: int | None = None
    model_epsilon: Noise | None = None
    model: str | None = None
    estimate: Estimate | None = None
    shares: str | None = None
    sampling: float | None = None
    outside: list[str] | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The options that were given."""
        return tuple(
            f"--{each.name.replace('_', '-')}" for each in fields(self) if self._given(each.name)
        )

    def plan(self, schema: Schema) -> Plan:
        """The plan for a schema.

        Raises:
            Refusal: a setting cannot be read, is out of range, or does not fit the schema.
        """
        self._check_target()
        settings = {
            **self._chosen("attempts", "delta", "t", "seeds_at_least", "sampling"),
            **self._chosen("protocol", "pass_floor", "records_per_person"),
            **self._chosen(records="public_records"),
            "test": self._test(),
            "model": self._chosen("estimate", model_epsilon="epsilon") | self._model(),
        }
        if self.shares is not None:
            settings["shares"] = _shares(self.shares)
        if self.outside:
            settings["policies"] = _policies(self.outside, schema)
        plan = self._counting(self._with_omega(schema, settings), schema)
        return plan if self.target_epsilon is None else self._within(plan, schema)

    def _model(self) -> dict[str, Any]:
        """The kind of the model; of an outside one, what the installed package claims."""
        if self.model is None or not self.model.startswith(_OUTSIDE):
            return self._chosen(model="kind")
        from engine.models.third_party.offers import offered

        return {"kind": "outside", "outside": offered(self.model.removeprefix(_OUTSIDE)).claim}

    def _test(self) -> PrivacyTest:
        from engine.mechanisms.seedbased.plan import Plan
        from engine.privacy.plausibility.privacy_test import privacy_test

        usual = Plan.model_fields["test"].default
        chosen = {"kind": usual.kind, "k": usual.k, "epsilon0": usual.epsilon0}
        return privacy_test(**{**chosen, **self._chosen("k", "epsilon0", "gamma", test="kind")})

    def _check_target(self) -> None:
        """What is searched for cannot be given as well."""
        given = [f"--{name}" for name in ("k", "epsilon0", "t") if self._given(name)]
        if self.target_epsilon is not None and given:
            raise Refusal(
                f"{', '.join(given)} cannot be given together with --target-epsilon, which "
                "finds k, ε0 and t.",
                "Leave one or the other out.",
            )

    def _within(self, plan: Plan, schema: Schema) -> Plan:
        from engine.mechanisms.seedbased.target import within

        assert self.target_epsilon is not None
        try:
            found = within(plan, schema, self.target_epsilon).plan
        except Refusal as refusal:
            if refusal.field != "epsilon":
                raise
            raise Refusal(refusal.problem, refusal.remedy, field="target_epsilon") from None
        if self.model_epsilon is not None and found.model != plan.model:
            raise Refusal(
                "The model's ε is more than one record may cost within the target.",
                f"Choose {found.model.epsilon:g} or less, or leave it out.",
                field="model_epsilon",
            )
        return found

    def _with_omega(self, schema: Schema, settings: dict[str, Any]) -> Plan:
        from engine.mechanisms.seedbased.plan import Plan
        from engine.models.omega import Omega

        reading = self.reading or "hidden"
        if self.omega is not None:
            return Plan.of(schema, **settings, omega=Omega.parse(self.omega, reading))
        plan = Plan.of(schema, **settings)
        return plan.changed(schema, omega=plan.omega.model_copy(update={"reading": reading}))

    def _counting(self, plan: Plan, schema: Schema) -> Plan:
        """The plan with the seeds to count on that follow from the number of records."""
        if self.records is None or self.seeds_at_least is not None or not plan.shares.seeds:
            return plan
        from engine.mechanisms.seedbased.proposal import seeds_known

        seeds = seeds_known(self.records, plan.delta, plan.records_per_person, plan.shares.seeds)
        return plan.changed(schema, seeds_at_least=seeds)

    def _given(self, name: str) -> bool:
        return getattr(self, name) not in (None, [], ())

    def _chosen(self, *same: str, **renamed: str) -> dict[str, Any]:
        """The given ones among some settings, under the names a plan has for them."""
        names = {**dict(zip(same, same, strict=True)), **renamed}
        values = {there: getattr(self, here) for here, there in names.items() if self._given(here)}
        return {
            name: value.value if isinstance(value, Noise) else value
            for name, value in values.items()
        }


def _shares(text: str) -> dict[str, float]:
    try:
        return dict(zip(_PARTS, map(float, text.split(",")), strict=True))
    except ValueError:
        raise Refusal(
            "The shares are four numbers with commas between them.",
            "Write the shares of seeds, structure, parameters and held-out records, such as "
            "0.3,0.3,0.3,0.1.",
            field="shares",
        ) from None


def _policies(texts: list[str], schema: Schema) -> dict[str, str]:
    policies = {}
    for text in texts:
        column, _, policy = text.rpartition("=")
        if policy not in _POLICIES:
            raise Refusal(
                f"“{text}” is not a column and what to do with its values.",
                f"Write COLUMN=POLICY, the policy one of {', '.join(_POLICIES)}.",
                field="outside",
            )
        if column not in schema.names:
            raise Refusal(
                f"The schema has no column “{column}”.",
                f"Choose one of {', '.join(schema.names)}.",
                field="outside",
            )
        policies[column] = policy
    return policies
