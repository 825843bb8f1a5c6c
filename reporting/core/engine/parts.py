"""The parts of a report: every dataset as a whole, then its groups, each a waist of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from reporting.base.arrays import IntArray
from reporting.base.execution.array_store import IN_MEMORY, ArrayStore
from reporting.base.records import dataclass, field, replace
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.counts.ranks import MixedKinds, Ranks, cuts_of_group, ranks_of_group
from reporting.core.engine.operations import ChosenThresholds, JudgedModel, choose_all, choose_by_fold
from reporting.core.engine.partition import Partition, group_name, members_of, spoofs_of
from reporting.core.engine.scales import Scaling
from reporting.core.engine.study import Study
from reporting.core.stats.spoofing import Mix
from reporting.errors import ConfigError
from reporting.inputs.spec import OneClass


@dataclass(frozen=True, eq=False)
class Side:
    """The trials of one split: ranks, and every model's thresholds by model and run."""

    dataset: str
    ranks: Ranks
    cuts: dict[tuple[str, str], Cuts]

    def within(self, members: IntArray) -> Side:
        """Return some of the trials as a side of their own."""
        cuts, rank = {}, {}
        for model, whole in self.cuts.items():
            cuts[model], rank[model] = cuts_of_group(whole, self.ranks.rank[model], self.ranks, members)
        return Side(self.dataset, ranks_of_group(self.ranks, members, rank), cuts)

    def mixed(self, shares: Mix | None) -> Side:
        """Return the same trials with FAR as a mean of the rates of zero-effort trials and spoofs."""
        if shares is None:
            return self
        mix = MixedKinds(spoofs_of(self.ranks), shares)
        ranks = replace(self.ranks, mix=mix, weight=mix.weights(self.ranks.label))
        everyone = np.arange(ranks.n_trials)
        cuts = {
            model: cuts_of_group(whole, ranks.rank[model], ranks, everyone)[0]
            for model, whole in self.cuts.items()
        }
        return Side(self.dataset, ranks, cuts)


@dataclass(frozen=True, eq=False)
class Part:
    """One dataset or a group of its trials: ranks on test and the models, by key order."""

    dataset: str
    group: str
    ranks: Ranks
    models: list[JudgedModel]
    columns: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    """What distinguishes the group from others; empty for the whole."""
    one_class: Mapping[str, OneClass] = field(default_factory=dict)
    """Those of the columns that describe one class; all trials of the other are in the group."""
    dev_ranks: Ranks | None = None
    """The trials of the part itself on the development set."""
    chosen_on: Side | None = None
    """The whole dev set that chooses its thresholds; None where none does."""
    chosen_on_mixes: Mapping[Mix | None, Side] = field(default_factory=dict)
    """The same for every mix of non-targets that a criterion needs, and without one."""
    judged_on: Side | None = None
    """The whole test set, of which the part may be a group; None where folds have dev sets of their own."""
    members: IntArray | None = None
    """The trials of the part among those of the whole test set; None: all of them."""
    shelf: ArrayStore = IN_MEMORY
    """Where large arrays are put."""


def parts(counts: Counts, study: Study) -> Iterator[Part]:
    """Yield every dataset, each followed by its groups; thresholds are chosen once, on all of development."""
    for dataset in sorted({key.dataset for key in counts.cuts if key.split == "test"}):
        yield from _parts_of(dataset, counts, study)


def mix_of(part: Part) -> Mix | None:
    """Return how a part mixes two kinds of non-targets; None where all are alike."""
    return part.ranks.mix.shares if part.ranks.mix else None


def _parts_of(dataset: str, counts: Counts, study: Study) -> Iterator[Part]:
    """Yield a dataset and its groups; of folds every trial is tested once, at thresholds of its own fold."""
    keys = sorted(key for key in counts.cuts if (key.dataset, key.split) == (dataset, "test"))
    test, source = _side(dataset, "test", counts), counts.dev_of.get(dataset)
    dev = None if source is None or counts.folds else _side(source, "dev", counts)
    scalings = {
        model: Scaling(
            study.scale_of(model[0]),
            study.prevalence,
            dev.cuts[model] if dev else None,
            model[0] in study.negated,
        )
        for model in test.cuts
    }
    mixes: tuple[Mix | None, ...] = (None, *dict.fromkeys((*study.mixes, *study.mixes_of_criteria)))
    if counts.folds and (study.mixes or study.mixes_of_criteria):
        raise ConfigError("trials.runs: costs of three kinds of trials are not computed where runs are folds")
    on_dev = {mix: dev.mixed(mix) for mix in mixes} if dev else {}
    on_test = {mix: test.mixed(mix) for mix in mixes}
    chosen = _chosen(keys, source, on_dev, on_test, scalings, counts, study)
    dev_rows = source if dev and _has_dev_rows(dataset, source, counts) else None
    for columns, values, members in [((), (), None), *_groups(test.ranks, study)]:
        one_class, here, dev_here = study.one_class_of(columns), test, dev
        if members is not None:
            here = test.within(members)
            dev_here = dev and dev.within(members_of(dev.ranks, columns, values, one_class))
        by_mix, group = {mix: here.mixed(mix) for mix in mixes}, group_name(columns, values)
        for mix in (None, *study.mixes):
            on_dev_here, ranks = dev_here.mixed(mix) if dev_here else None, by_mix[mix].ranks
            yield Part(
                dataset,
                group,
                ranks,
                _judged(keys, group, on_dev_here, by_mix, mix, chosen, scalings, study, dev_rows),
                columns,
                values,
                one_class,
                dev_ranks=on_dev_here.ranks if on_dev_here else None,
                chosen_on=on_dev.get(mix),
                chosen_on_mixes=on_dev,
                judged_on=None if counts.folds else on_test[mix],
                members=members,
                shelf=counts.shelf,
            )


def _chosen(
    keys: list[Key],
    source: str | None,
    on_dev: Mapping[Mix | None, Side],
    on_test: Mapping[Mix | None, Side],
    scalings: dict[tuple[str, str], Scaling],
    counts: Counts,
    study: Study,
) -> dict[tuple[str, str], ChosenThresholds]:
    """Return the thresholds of every model, chosen on all of development, or on that of each fold."""
    chosen, test, dev = {}, on_test[None], on_dev.get(None)
    dev_groups = _groups_of_nontargets(dev, study) if dev else []
    for key in keys:
        model = key.id
        if counts.folds:
            assert source is not None
            devs = [counts.cuts[Key(key.model, fold, source, "dev")] for fold in counts.folds[key.dataset]]
            chosen[model] = choose_by_fold(key, devs, test.cuts[model], test.ranks, scalings, study)
            continue
        chosen[model] = choose_all(
            key,
            {mix: side.cuts[model] for mix, side in on_dev.items()},
            {mix: (side.cuts[model], side.ranks) for mix, side in on_test.items()},
            scalings[model],
            study,
            [side.cuts[model] for side in dev_groups],
            dev.ranks if dev else None,
        )
    return chosen


def _has_dev_rows(dataset: str, source: str | None, counts: Counts) -> bool:
    """Return whether this dataset shows the dev set it uses: its own, or one of a dataset without test."""
    users = sorted(user for user, of in counts.dev_of.items() if of == source)
    tested = {key.dataset for key in counts.cuts if key.split == "test"}
    return source == dataset or (source not in tested and users[:1] == [dataset])


def _side(dataset: str, split: str, counts: Counts) -> Side:
    place = dataset, split
    cuts = {key.id: cut for key, cut in counts.cuts.items() if (key.dataset, key.split) == place}
    return Side(dataset, counts.ranks[place], cuts)


def _judged(
    keys: list[Key],
    group: str,
    dev: Side | None,
    mixes: Mapping[Mix | None, Side],
    mix: Mix | None,
    chosen: dict[tuple[str, str], ChosenThresholds],
    scalings: dict[tuple[str, str], Scaling],
    study: Study,
    dev_rows: str | None,
) -> list[JudgedModel]:
    """Return the models of a part; ``dev_rows``: the dataset under which they show development numbers."""
    models = []
    for key in keys:
        here = key._replace(group=group)
        model = JudgedModel(
            here,
            here._replace(dataset=dev_rows, split="dev") if dev_rows else None,
            dev.cuts[key.id] if dev else None,
            mixes[mix].cuts[key.id],
            mixes[mix].ranks,
            scalings[key.id],
            mixes={each: side.cuts[key.id] for each, side in mixes.items()},
        )
        models.append(model.at(chosen[key.id], study))
    return models


def _groups(ranks: Ranks, study: Study) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], IntArray]]:
    """Yield columns, values and members of every group of the breakdowns that has trials."""
    for columns in study.by:
        partition = Partition.of(ranks, columns, study.one_class_of(columns), "by")
        for values, members in zip(partition.values, partition.members, strict=True):
            yield columns, values, members


def _groups_of_nontargets(dev: Side, study: Study) -> list[Side]:
    """Return development groups by what describes non-targets alone, where a criterion chooses on each."""
    if not any(criterion.of_each for criterion in study.criteria):
        return []
    by = tuple(
        columns for columns in study.by if {*map(study.one_class.get, columns)} <= {"nontarget", "spoof"}
    )
    return [dev.within(members) for *_, members in _groups(dev.ranks, replace(study, by=by))]
