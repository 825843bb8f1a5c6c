#!/bin/bash
# One report on several nodes of a SLURM cluster: a Dask scheduler on the first node, workers on all of them.
#
#   cp slurm.sh mine.sh, change what says "change", then:   sbatch mine.sh report.yaml
#
# All nodes need the same Python environment, with trial-reporting[dask,fast], and a file system they share.
# Whoever reaches the scheduler's port can run code as you: use a private network, or Dask's TLS settings.
#
#SBATCH --job-name=report
#SBATCH --nodes=2                   # change: how many nodes
#SBATCH --ntasks-per-node=1         # keep: one group of workers a node
#SBATCH --cpus-per-task=16          # change: workers on each of them
#SBATCH --mem=64G                   # change
#SBATCH --time=01:00:00             # change
set -euo pipefail

CONFIG=${1:?say which config: sbatch mine.sh report.yaml}
SHARED=${SHARED:-$SLURM_SUBMIT_DIR}     # change: a folder that all nodes see, such as a scratch file system
HOST=${HOST:-$(hostname)}               # change: the name by which other nodes reach this one, if another
PORT=${PORT:-8786}                      # change: if somebody else's scheduler has it
# source "$HOME/venvs/report/bin/activate"      # change: your environment

# Every worker is a process of one thread: libraries must not start their own beside it.
export POLARS_MAX_THREADS=1 NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1

WORK=$(mktemp -d "$SHARED/work-XXXXXX")
finish() {
    jobs -p | xargs -r kill 2> /dev/null || true
    wait
    rm -rf "$WORK"
}
trap finish EXIT

dask scheduler --host "$HOST" --port "$PORT" --no-dashboard --scheduler-file "$WORK/scheduler.json" &
until [ -s "$WORK/scheduler.json" ]; do
    kill -0 $! || exit 1
    sleep 0.2
done

# SLURM limits memory. Dask's own limit would count the shared files that a worker has mapped.
srun dask worker --scheduler-file "$WORK/scheduler.json" --nworkers "${SLURM_CPUS_PER_TASK:-1}" \
    --nthreads 1 --memory-limit 0 --no-dashboard --local-directory "${TMPDIR:-/tmp}" &

reporting run "$CONFIG" \
    --set run.executor=dask --set "run.address=tcp://$HOST:$PORT" --set "run.folder=$WORK"
