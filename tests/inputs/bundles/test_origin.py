"""What a report says of scores that were floored, and of counts it was made from."""

import polars as pl
import pytest
from build import built_from
from snapshot import snapshot

from reporting.app.run.counts import make_bundle
from reporting.app.run.origin import origin_of
from reporting.document.words.origins import origin_sentences
from reporting.document.words.terms import DETECTION
from reporting.inputs.bundle import Origin
from tests.inputs.bundles.sites import SPEAKER_OF, frames


def origin(config, *overrides):
    built = built_from(config, *overrides)
    return origin_of(built.table, built.counts)


def test_exact_scores_have_no_origin_to_tell(sites):
    made = sites("speaker", "gender")
    config = made.joined()
    config.write_text(config.read_text().replace(", coarse: 17", ""))
    assert origin(config) is None
    assert origin_sentences(None, DETECTION) == []


def test_areas_of_floored_scores_lie_within_the_bound_that_is_told(sites):
    made = sites("speaker", "gender")
    coarse = made.joined("", "measures: [auc]")
    exact = made.config("exact", "source: joined.parquet", "measures: [auc]")
    for bits in (16, 17, 20):
        said = origin(coarse, f"trials.coarse={bits}")
        area = [
            frames(config, *over)["metrics"].filter(measure="auc")["value"]
            for config, over in ((coarse, [f"trials.coarse={bits}"]), (exact, []))
        ]
        assert 0 < (area[0] - area[1]).abs().max() <= said.bound


def test_the_bound_is_the_largest_over_models_and_splits(tmp_path):
    rows = [("a", s, y, 1.0) for s in ("dev", "test") for y in (0, 1)]
    rows += [("b", s, y, float(y)) for s in ("dev", "test") for y in (0, 1)]
    pl.DataFrame(rows, ["model", "split", "label", "score"], orient="row").write_parquet(
        tmp_path / "t.parquet"
    )
    (tmp_path / "r.yaml").write_text("trials: {source: t.parquet, coarse: 30}\n")
    assert origin(tmp_path / "r.yaml") == Origin(30, 0.5)
    snapshot(
        "bundles/origin_the_bound_is_the_largest_over_models_and_splits",
        "\n".join(origin_sentences(Origin(30, 0.5), DETECTION)),
    )


@pytest.mark.parametrize(
    ("options", "without", "pairing"),
    [({}, ("speaker",), "none"), ({}, (), "clusters"), ({"paired": True}, ("speaker",), "trials")],
)
def test_bundles_say_what_they_support(sites, options, without, pairing):
    made = sites("gender", *without)
    columns = "" if without else SPEAKER_OF
    names = made.bundles(columns, **options)
    found = origin(made.counted(names, columns))
    assert (found.bundles, found.pairing) == (tuple(names), pairing)
    assert found.names == (None if without else "digests")
    sentences = origin_sentences(found, DETECTION)
    assert f"3 bundles of counts ({', '.join(names)}), not from scores" in sentences[1]
    assert ("comparisons cannot" in sentences[2]) == (pairing == "none")
    assert (sentences[-1] == "Clusters are known by digests of their names") == (not without)


def test_clusters_of_macro_means_pair_models_by_them(sites):
    made = sites("speaker")
    asked = "averaged_over: gender"
    out = made.joined("", asked)
    bundle = make_bundle(out, made.folder / "all.parquet")
    config = made.counted([bundle.name], "", asked)
    assert origin(config).pairing == "clusters"
    values = [frames(each)["metrics"].select("group", "measure", "value") for each in (out, config)]
    assert values[0].equals(values[1]) or values[0].drop("group").equals(values[1].drop("group"))
