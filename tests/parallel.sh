#!/bin/bash
# The figure of the chapter on parallelism is what pipeline-schedule draws,
# and the program refuses what it cannot do.
. tests/lib/run.sh
build/bin/pipeline-schedule --svg > "$dir/out.svg"
check "the figure is the program's" \
    cmp "$dir/out.svg" figures/parallelism-pipeline.svg
build/bin/pipeline-schedule > "$dir/out" 2>&1
check "the table is the program's" \
    cmp "$dir/out" figures/data/parallelism-schedules.txt
build/bin/pipeline-schedule --micro 6 --schedule interleaved \
    > "$dir/out" 2>&1
check "an interleaved schedule of 6 micro-batches is refused" \
    test "$?" = 2 -a "$(grep -c 'a multiple of the 4 stages' "$dir/out")" = 1

# The MLP on devices of the software GPU, by NCCL's calls.
SIMT_DEVICES=4 build/bin/mlp-nccl-simt > "$dir/out" 2>&1
check "the MLP on four devices prints what the chapter prints" \
    cmp "$dir/out" figures/data/parallelism-mlp.txt
SIMT_LINKS=5:fast SIMT_DEVICES=2 build/bin/mlp-nccl-simt > "$dir/out" 2>&1
check "SIMT_LINKS without a rate is refused" \
    grep -q 'such as 5:450' "$dir/out"
finish
