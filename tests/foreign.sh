#!/bin/bash
# Features that foreign programs use: each program of tests/data/simt/foreign_*
# says of each row whether it is right.  Then each mistake of tests/wrong/foreign,
# made in a copy of the headers, must fail the row that it names.  With names:
# only those programs.
. tests/lib/run.sh
if ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "features of foreign programs" "no clang: apt install clang"
    finish
fi
BUILD=$(cd "$BIN/.." && pwd)

# compiled NAME HOME PROGRAM: C++14, whose headers are shorter
compiled() {
    # shellcheck disable=SC2086
    SIMTCC_CACHE=$cache "${2:-$BUILD}/bin/simtcc" -std=c++14 -O1 -w \
        $linker -Itests/data/simt "tests/data/simt/foreign_$1.cu" -o "$3"
}
cache=${SIMTCC_CACHE:-}

for source in tests/data/simt/foreign_*.cu; do
    name=${source##*/foreign_} name=${name%.cu}
    [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    if ! why=$(compiled "$name" "" "$dir/$name" 2>&1); then
        not_ok "$name is compiled" "$why"
        continue
    fi
    report_rows timeout 60 "$dir/$name"
    [ $status -eq 0 ] || not_ok "$name ends well" \
        "status $status: $(cat "$dir/stderr")"
done

# A mistake is a file: `program: NAME`, `row: TEXT`, `file: HEADER`, then a
# script for sed.  Its headers stand in a folder of their own.
cache=
for mistake in tests/wrong/foreign/*.sed; do
    name=$(sed -n 's/^# program: //p' "$mistake")
    text=$(sed -n 's/^# row: //p' "$mistake")
    file=$(sed -n 's/^# file: //p' "$mistake")
    [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    what="${mistake##*/} is caught"
    rm -rf "${dir:?}/home"
    mkdir "$dir/home"
    cp -R "$BUILD/bin" "$BUILD/include" "$dir/home"
    ln -s "$BUILD/lib" "$dir/home/lib"
    sed -i.right -f "$mistake" "$dir/home/include/$file"
    if cmp -s "$dir/home/include/$file" "$dir/home/include/$file.right"; then
        not_ok "$what" "it changes nothing in $file"
    elif ! why=$(compiled "$name" "$dir/home" "$dir/wrong" 2>&1); then
        not_ok "$what" "not compiled: $why"
    elif timeout 60 "$dir/wrong" 2>&1 | grep -q "^not ok - $text\$"; then
        ok "$what"
    else
        not_ok "$what" "the row passes: $text"
    fi
done
finish
