#!/bin/bash
# Where the book's numbers come from: every commit that a row of figures/data
# names is in our history, every command names something that is there and
# was there then.
. tests/lib/run.sh
what="rows of figures/data name commits and programs that exist"
if ! command -v lua5.4 > /dev/null; then
    skip "$what" "no lua5.4 (make setup)"; finish
elif ! git rev-parse --verify -q HEAD > /dev/null 2>&1; then
    skip "$what" "no git checkout, so no history to look in"; finish
elif [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    skip "$what" "a shallow clone has no history (git fetch --unshallow)"
    finish
fi
lua5.4 tests/provenance.lua figures/data | sort > "$dir/problems" 2>&1
check "$what" sh -c "cat '$dir/problems'; test ! -s '$dir/problems'"

# What the reader must and must not find, in a file of its own.
here=$(git rev-parse --short HEAD)
first=$(git rev-list --max-parents=0 HEAD | tail -1)
{ echo name,value,unit,machine,command,commit,date
  echo "good,1,s,m,bench-cpu,$here,2026-11-01"
  echo "good.trial,1,s,m,a change of it,trial on $here,2026-11-01"
  echo "good.cuda,1,s,m,ncu -x build/tests-cuda/test_ops,$here,2026-11-01"
  echo "good.make,1,s,m,taskset 1 make bench,$here,2026-11-01"
  echo "bad.commit,1,s,m,bench-cpu,0123456,2026-11-01"
  echo "bad.trial,1,s,m,a change of it,trial on 0123456,2026-11-01"
  echo "bad.command,1,s,m,bench-soup --hot,$here,2026-11-01"
  echo "bad.count,1,s,none,by hand,,2026-11-01"
  echo "bad.early,1,s,m,tests/provenance.sh,$first,2026-11-01"
} > "$dir/rows.csv"
found=$(lua5.4 tests/provenance.lua "$dir" | sed 's/.*csv:[0-9]*: //' |
        cut -d' ' -f1 | sort | tr '\n' ' ')
check "it finds commits that are nowhere, and programs that are gone" \
    test "$found" = "bad.command bad.commit bad.count bad.early bad.trial "
finish
