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

# compiled NAME HOME PROGRAM [OBJECT]: C++14, whose headers are shorter
compiled() {
    local std=c++14
    ! head -1 "tests/data/simt/foreign_$1.cu" | grep -q 'C++17' || std=c++17
    # shellcheck disable=SC2086
    SIMTCC_CACHE=$cache "${2:-$BUILD}/bin/simtcc" -std=$std -O1 -w \
        $linker -Itests/data/simt ${4:-tests/data/simt/foreign_$1.cu} -o "$3"
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

# library SCRIPT FILE.c: libsimt.a with that file changed, in $dir/home/lib
library() {
    local object=$BUILD/opt/${2%.c}.o changed=$dir/home/lib/changed
    mkdir "$dir/home/lib"
    sed -f "$1" "$2" > "$changed.c"
    ! cmp -s "$2" "$changed.c" || { echo "it changes nothing in $2"; return 1; }
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -Icode -O0 -w -c "$changed.c" -o "$changed.o" &&
        find "$BUILD/opt/code/base" "$BUILD/opt/code/simt" -name '*.o' ! -path "$object" \
            -exec ld -r -S -o "$dir/home/lib/libsimt.o" "$changed.o" {} + &&
        ar rcs "$dir/home/lib/libsimt.a" "$dir/home/lib/libsimt.o"
}
# header SCRIPT FILE: that header of $dir/home changed
header() {
    local file=$dir/home/include/$2
    ln -s "$BUILD/lib" "$dir/home/lib"
    sed -i.right -f "$1" "$file"
    ! cmp -s "$file" "$file.right" || { echo "it changes nothing in $2"; return 1; }
}

# A mistake is a file: `program: NAME`, `row: TEXT`, `file: HEADER` or a source of
# the library, then a script for sed.
cache=
for mistake in tests/wrong/foreign/*.sed; do
    name=$(sed -n 's/^# program: //p' "$mistake")
    text=$(sed -n 's/^# row: //p' "$mistake")
    file=$(sed -n 's/^# file: //p' "$mistake")
    [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    what="${mistake##*/} is caught"
    rm -rf "${dir:?}/home"
    mkdir -p "$dir/home/bin"
    cp "$BUILD/bin/simtcc" "$dir/home/bin"
    cp -Rl "$BUILD/include" "$dir/home"
    object=
    case $file in
    *.c) change=library object=$dir/$name.o
         [ -e "$object" ] || compiled "$name" "" "$object" "-c tests/data/simt/foreign_$name.cu" ;;
    *)   change=header ;;
    esac
    if ! why=$($change "$mistake" "$file" 2>&1); then
        not_ok "$what" "$why"
    elif ! why=$(compiled "$name" "$dir/home" "$dir/wrong" "$object" 2>&1); then
        not_ok "$what" "not compiled: $why"
    elif timeout 60 "$dir/wrong" 2>&1 | grep -q "^not ok - $text\$"; then
        ok "$what"
    else
        not_ok "$what" "the row passes: $text"
    fi
done
finish
