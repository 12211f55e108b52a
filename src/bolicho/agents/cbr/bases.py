"""Case bases: those shipped with the package, and others by path."""

from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.cbr import TECHNIQUE
from bolicho.agents.cbr.casebase import CaseBase, Cases, read_cases, write_cases
from bolicho.agents.cbr.clusters import Clustering, from_labels, population
from bolicho.agents.cbr.domain import Domain
from bolicho.errors import BadInput
from bolicho.store.artifact import artifact_path

ENDING = ".parquet"

CLUSTERING = ("mean", "scale", "centroids")  # stored fields of each clustering


def domain_of(game: str) -> Domain:
    """Return the domain of a game; loading it registers its compiled code."""
    found: Domain = TECHNIQUE.need(game, "game with cases")
    return found


def _trainings(game: str) -> dict[str, str]:
    """Return the trainings that make bases for a game, by the name of the base: of `cbr` it is `learned`."""
    makes = [training.name for training in TECHNIQUE.trainings if game in training.games]
    return {name.removeprefix("cbr-") if name != "cbr" else "learned": name for name in makes}


def bases_of(game: str) -> tuple[str, ...]:
    """Return the names of the bases that trainings make for a game."""
    return tuple(_trainings(game))


def file_of(base: str, game: str) -> Path:
    """The file of `learned` (in Truco also `baseline`), of another artifact, or of a path."""
    training = _trainings(game).get(base)
    artifact = f"{training}-{game}" if training else base
    return Path(base) if Path(base).suffix == ".csv" else artifact_path(artifact, ENDING, "case base")


def load_base(base: str, domain: Domain) -> CaseBase:
    """Load a base of a game by name, or by the path of a case file that contains its groups."""
    path = file_of(base, domain.game)
    cases, made = read_cases(domain.schema, path)
    if not len(cases):
        raise BadInput(f"{path} contains no case")
    check_labels(domain, cases, str(path))
    written = made.pop("clusterings", None)
    if written is None:
        return CaseBase(domain, cases, from_labels(domain, cases), {"name": path.stem, **made})
    return CaseBase(domain, cases, _read_clusterings(domain, cases, written, path), made)


def check_labels(domain: Domain, cases: Cases, where: str) -> None:
    """Raise `BadInput` where a case's group is missing, or present for a scenario that it does not belong to."""
    columns = [column.name for column in domain.schema.columns if column.field == "label"]
    for number, name in enumerate(columns):
        inside = np.zeros(len(cases), bool)
        inside[population(domain, cases, number).cases] = True
        wrong = np.flatnonzero((cases["label"][:, number] > 0) != inside)
        if len(wrong):
            row = wrong[0]
            what = (
                "is missing (0), though the case is"
                if inside[row]
                else f"is {cases['label'][row, number]}, but must be 0: the case is not"
            )
            raise BadInput(f"{where}, row {row + 1}: {name} {what} of the scenario {domain.clusterings[number]!r}")


def save_base(base: CaseBase, path: Path) -> None:
    """Write a base with its clusterings and its origin; a CSV file contains the cases only."""
    rows: list[dict[str, Any]] = [
        {"mean": c.mean.tolist(), "scale": c.scale.tolist(), "centroids": c.centroids.tolist()}
        for c in base.clusterings
    ]
    write_cases(base.domain.schema, base.cases, path, {**base.made, "clusterings": rows})


def written(base: CaseBase, path: Path) -> dict[str, Any]:
    """Write a base and return a report."""
    save_base(base, path)
    groups = {name: c.size for name, c in zip(base.domain.clusterings, base.clusterings, strict=True)}
    return {"cases": len(base), "groups": groups}


def _read_clusterings(domain: Domain, cases: Cases, rows: Any, path: Path) -> tuple[Clustering, ...]:
    """Return the clusterings of a file's metadata; raise `BadInput` unless they match the domain and the labels."""
    try:
        found = tuple(Clustering(*(np.array(row[key], np.float64) for key in CLUSTERING)) for row in rows)
    except (TypeError, KeyError, ValueError):
        raise BadInput(f"{path}: the clusterings in its metadata are not lists of {', '.join(CLUSTERING)}") from None
    if len(found) != len(domain.clusterings):
        raise BadInput(
            f"{path}: {len(found)} clusterings in its metadata, but {domain.game} has {len(domain.features)}"
        )
    for number, clustering in enumerate(found):
        groups = cases["label"][:, number]
        wide = len(domain.features[number]) if groups.any() else len(clustering.mean)  # any width without cases
        if {clustering.mean.shape, clustering.scale.shape, clustering.centroids.shape[1:]} != {(wide,)}:
            raise BadInput(
                f"{path}: {domain.clusterings[number]!r} is clustered by {wide} columns, unlike in its metadata"
            )
        beyond = np.flatnonzero(groups > clustering.size)
        if len(beyond):
            raise BadInput(
                f"{path}, row {beyond[0] + 1}: group {groups[beyond[0]]} of the scenario"
                f" {domain.clusterings[number]!r}, which has {clustering.size} groups in the file's metadata"
            )
    return found
