#!/bin/sh
# Every command the README shows is a command that exists: make knows the
# targets, programs know the options, and what can be run here is run.
n=0
report() {          # status, text
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# The shell blocks of README.md, one command a line.
commands=$(awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' README.md)
[ -n "$commands" ]
report $? "the README shows commands"

known=$(make -s help 2>/dev/null | awk '{ print $1 }')
while IFS= read -r line; do
    # shellcheck disable=SC2086
    set -- $line
    case $1 in
    make)
        shift
        for target; do
            case $target in *=*) continue ;; esac
            make -n "$target" > /dev/null 2>&1
            report $? "README: make $target"
            case $target in data-* | setup-*) continue ;; esac
            echo "$known" | grep -qx "$target"
            report $? "README: make help lists $target"
        done ;;
    build/bin/simtcc* | SIMT_REPORT=*)
        eval "$line" > /dev/null 2>&1
        report $? "README: $line" ;;
    build/bin/*)
        program=$1
        # what nvcc builds has the options of the CPU's program
        help=$("${program%-cuda}" --help 2>&1)
        report $? "README: $program --help"
        missing=
        for option in $(echo "$line" | grep -oE -- '--[a-z-]+'); do
            echo "$help" | grep -q -- "$option" || missing="$missing $option"
        done
        [ -z "$missing" ]
        report $? "README: $program has every option shown$missing"
        if [ ! -x "$program" ]; then
            n=$((n + 1))
            echo "ok $n - README: $line # SKIP $program is built by nvcc"
            continue
        fi
        init=$(echo "$line" | sed -n 's/.*--init \([^ ]*\).*/\1/p')
        if [ -z "$init" ] || [ -e "$init" ]; then
            eval "$line" > /dev/null
            report $? "README: $line"
        else
            n=$((n + 1))
            echo "ok $n - README: $line # SKIP $init is not there"
        fi ;;
    *)
        report 1 "README: no test knows how to run: $line" ;;
    esac
done <<END
$commands
END

# Files and folders that the README links to.
for link in $(grep -oE '\]\([A-Za-z][^)#:]*\)' README.md | tr -d '()]'); do
    [ -e "$link" ]
    report $? "README: $link exists"
done
echo "1..$n"
