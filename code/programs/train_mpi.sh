#!/bin/sh
# Tangled from chapters/workshop/ranks.nw, "On several hosts".  Edit it there.

# Train on the GPUs of several hosts, started by OpenMPI.
#
#     train_mpi.sh HOSTS PROGRAM [OPTIONS OF train]
#
# HOSTS: a file with a line `NAME slots=GPUS` for each host.  Program, data
# and --out have the same path on all of them.  MASTER_PORT: a free port on
# the first host.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 HOSTS PROGRAM [OPTIONS]" >&2; exit 2; }
hosts=$1
shift
first=$(awk '!/^#/ && NF { print $1; exit }' "$hosts")
[ -n "$first" ] || { echo "$hosts: names no host" >&2; exit 2; }
exec mpirun --hostfile "$hosts" --map-by slot --bind-to none \
    -x MASTER_ADDR="$first" -x MASTER_PORT="${MASTER_PORT:-29400}" "$@"
