#!/bin/bash
#SBATCH --job-name=docstokg-parse
#SBATCH --array=1-50
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=04:00:00
# Parses and chunks the papers of a fleet as an array job: task i of n takes its part of the documents from the store, and
# puts what it makes there. A task that is run again does what is missing.
#
#   export FLEET=postgres://docstokg@db.example.org/docs STORE=s3://papers/corals
#   sbatch examples/ops/slurm.sh
set -euo pipefail
: "${FLEET:?address of the PostgreSQL server}" "${STORE:?address of the object store}"
out="${TMPDIR:-/tmp}/docstokg-${SLURM_ARRAY_JOB_ID:-0}-${SLURM_ARRAY_TASK_ID:-0}"
trap 'rm -rf "$out"' EXIT
for kind in PDF HTML XML; do
  mkdir -p "$out/$kind"
  docparse doctags --input "$out/$kind" --data-root "$out/Data" --fleet "$FLEET" --store "$STORE" --shard auto || [ $? -eq 1 ]
done
docparse chunk --data-root "$out/Data" --fleet "$FLEET" --store "$STORE" --shard auto
