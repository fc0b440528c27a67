"""What the commands of the documents are run on, document by document."""

from __future__ import annotations

from typing import Final

from tests.documented import (
    Play,
    census_file,
    census_of,
    census_schema,
    flags,
    flags_schema,
    marked_schema,
    numbers,
    numbers_schema,
    positions,
    typed,
)

CENSUS: Final = {"census.csv": census_file, "schema.json": census_schema}
CLI: Final = "docs/command-line.md"
FEW: Final = {
    r"--rows \d+": "--rows 500",
    r"--people \d+": "--people 20",
    r"--count \d+": "--count 50",
}
KNOWN: Final = typed(
    "understudy synthesize census.csv --schema schema.json --out known --omega 11 --attempts 300 "
    "--new-people --keep --quiet"
)
PLAN: Final = typed(
    "understudy propose --schema schema.json --epsilon 1 --records 1500 --rows 500 "
    "--save-plan plan.json"
)
CITY: Final = typed("understudy sample city --people 20 --out city.csv")

PLAYS: Final = (
    Play("README.md", smaller={"--rows 1500000": "--rows 2000", "100000": "2000"}),
    Play("sample_data/README.md", smaller=FEW),
    Play(CLI, "sample", smaller=FEW | {"pictures --out": "pictures --count 50 --out"}),
    Play(CLI, "traces", files={"positions.csv": positions}),
    Play(
        CLI,
        "pictures",
        before=typed(
            "understudy sample pictures --count 1000 --out shapes.npz",
            "understudy pictures read shapes.npz --out t.csv --schema s.json --height 8 --width 8 "
            "--white 16 --labels disc,square,cross,bar,stroke",
            'understudy schema t.csv --out s.json --declare-public --note "Simulated."',
            "understudy method latent --schema s.json --set rows=200 --save-plan p.json",
            "understudy synthesize t.csv --schema s.json --plan p.json --out out --new-people "
            "--keep --quiet",
        ),
    ),
    Play(CLI, "fakes", before=CITY),
    Play(CLI, "schema", files={"census.csv": census_file}),
    Play(CLI, "propose", files=CENSUS),
    Play(CLI, "plan"),
    Play(CLI, "synthesize", files=CENSUS | {"census.csv": census_of(100_000)}, long=True),
    Play(CLI, "evaluate", files=CENSUS, before=KNOWN, smaller={"20000": "500"}),
    Play(CLI, "account"),
    Play(CLI, "acceptance", files=CENSUS, before=PLAN),
    Play(CLI, "ledger", files=CENSUS, before=PLAN),
    Play(CLI, "reproduce"),
    Play(CLI, "packet", files=CENSUS, before=KNOWN),
    Play(
        CLI,
        "attempts",
        files={"flags.json": flags_schema},
        before=typed(
            "understudy method scored --schema flags.json --set proposer=projection "
            "--set public_records=50000 --save-plan plan.json"
        ),
    ),
    Play(
        CLI,
        "method",
        files={"people.csv": census_of(60_000), "schema.json": census_schema},
    ),
    Play("docs/evaluation.md", files=CENSUS, before=KNOWN, long=True),
    Play(
        "docs/evaluation-of-days.md",
        before=(
            *typed("understudy sample city --people 700 --out city.csv"),
            *typed(
                "understudy method traces --schema sample_data/city.schema.json --set traces=100 "
                "--set km_a_slot=2.5 --save-plan plan.json",
                "understudy synthesize city.csv --schema sample_data/city.schema.json "
                "--plan plan.json --out out --new-people --keep --quiet",
            ),
        ),
        long=True,
    ),
    Play("docs/imputation.md", files={"table.csv": census_of(1_543), "s.json": census_schema}),
    Play(
        "docs/latent.md",
        "Latent models",
        files={"table.csv": flags, "schema.json": flags_schema},
        smaller={"public_records=60000": "public_records=2000 --set rows=200"},
    ),
    Play("docs/latent.md", "Two readings", files={"flags.json": flags_schema}),
    Play("docs/latent.md", "A model's own", files={"flags.json": flags_schema}),
    Play("docs/latent.md", "A sub-population", files={"discharges.json": marked_schema}),
    Play("docs/models.md", "Numbers projected", files={"schema.json": numbers_schema}),
    Play("docs/packet.md", files=CENSUS, before=KNOWN, smaller={"DIR": "packets"}),
    Play("docs/pictures.md", long=True),
    Play("docs/plausible-traces.md", long=True),
    Play(
        "docs/pmse.md",
        "The pMSE mechanism",
        files={"table.csv": numbers, "schema.json": numbers_schema},
        long=True,
    ),
    Play(
        "docs/projects.md",
        files={"survey.csv": census_file, "schema.json": census_schema},
        smaller={"--out release": "--out release --attempts 300 --omega 11 --quiet"},
    ),
    Play(
        "docs/published-traces.md",
        before=CITY,
        smaller={
            "TABLE": "city.csv",
            "schema S": "schema sample_data/city.schema.json",
            "FILE": "f.csv",
        },
    ),
    Play("docs/traces.md", "Made traces", long=True),
    Play("docs/traces.md", "The table", files={"positions.csv": positions}),
)
