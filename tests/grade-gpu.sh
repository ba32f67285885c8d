#!/usr/bin/env bash
# Every solution of the course on a real GPU, without the software GPU: right
# in all cases, so that what the graders expect holds of hardware.  OUTFILE
# gets what grade prints of those that are timed.  Needs a GPU and nvcc, and
# build/bin/grade; takes JOBS exercises at a time, and times them alone.
#
# tests/grade-gpu.sh OUTFILE
cd "$(dirname "$0")/.." || exit 2
if [ $# -eq 0 ]; then           # make test runs every script
    echo "ok 1 - the solutions on a GPU # SKIP name a file: $0 OUTFILE"
    echo "1..1"
    exit
fi
. tests/lib/run.sh
command -v "${NVCC:-nvcc}" > /dev/null || export NVCC=/usr/local/cuda/bin/nvcc
export CLANG=/no/clang grade=$BIN/grade dir
mkdir "$dir/in"
cp -R code/course/solution/. "$dir/in"
names=$("$grade" --in "$dir/none" --list | awk '
    /^[a-z]/ && NF == 1 { chapter = $1 }
    /^  [^ ]/ && NF > 2 { print chapter "/" $2 }')
one() { "$grade" --in "$dir/in" --seed 7 "$1" > "$dir/${1//\//.}" 2>&1; }
export -f one
# shellcheck disable=SC2086
printf '%s\n' $names | xargs -P "${JOBS:-8}" -I{} bash -c 'one {}'
for name in $names; do
    said=$dir/${name//\//.}
    right() { grep -q 'right in .* cases on' "$said" || { cat "$said"; false; }; }
    check "$name is right on the GPU" right
done
for name in $names; do
    said=$dir/${name//\//.}
    grep -q ' us ' "$said" || continue
    one "$name"
    cat "$said" >> "$1"
done
finish
