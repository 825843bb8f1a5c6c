"""The gates of one run: their evidence while it is measured, and their verdicts together at its end."""

from __future__ import annotations

from reporting.core.engine.study import Study
from reporting.document.frames.gates import GATES
from reporting.document.frames.results import Results
from reporting.document.runs import Memory, Sources
from reporting.features.decided_trials import decisions
from reporting.features.gates.collect import Collector
from reporting.features.gates.keys import GATES_KEY, REFERENCE
from reporting.features.gates.past import CurrentRun
from reporting.features.gates.verdict import gates_frame


class GateJudge(Collector):
    """Judges the gates of a study."""

    def __init__(self, study: Study) -> None:
        super().__init__(GATES_KEY.of(study), study)

    def judged(self, sources: Sources, results: Results, memory: Memory | None) -> Results:
        """Return the results with the frame ``gates``; unchanged where the config has none."""
        study, table = results.study, sources[0]
        if not self.gates:
            return results
        looks_back = any(gate.always_valid or gate.against == REFERENCE for gate in self.gates)
        today = CurrentRun(
            outcomes=decisions(*sources, results, memory.salt if memory else "") if looks_back else None,
            past=memory.earlier(results) if looks_back and memory is not None else (),
            criterion=study.primary.criterion,
            clustered=table.has_cluster and study.inference.unit != "trial",
            weighted=results.has_design,
            pairs=table.spec.has_pairs,
            averaged=f"mean({study.averaged_over})" if study.averaged_over else "",
        )
        return results.with_frames({GATES: gates_frame(self, table.models, today)})
