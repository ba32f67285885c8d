#!/bin/sh
# The proof reader (make lint): a clean book passes, and each folder of
# tests/data/lint breaks that book in one way.  Its file `expect` holds
# exactly the problems that must be printed.
cd "$(dirname "$0")/.." || exit 1
lint="lua5.4 code/weave/lint.lua"
data=tests/data/lint
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

result() {     # status text
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

for tool in lua5.4 noroots; do
    command -v $tool > /dev/null || {
        echo "ok 1 - lint # SKIP $tool is not installed (make setup)"
        exit 0
    }
done
spelling=yes
echo qqzx | hunspell -d en_GB,en_US -l 2> /dev/null | grep -q qqzx ||
    spelling=no

for folder in "$data"/*/; do
    rule=$(basename "$folder")
    if [ $spelling = no ] && [ "$rule" = spelling ]; then
        n=$((n + 1))
        echo "ok $n - lint: spelling # SKIP hunspell or en_GB is missing"
        continue
    fi
    if [ "$rule" = shell ] && ! command -v shellcheck > /dev/null; then
        n=$((n + 1))
        echo "ok $n - lint: shell # SKIP shellcheck is not installed"
        continue
    fi
    rm -rf "$tmp/book"
    cp -r "$data/clean" "$tmp/book"
    cp -r "$folder". "$tmp/book"
    [ -x "$folder/prepare" ] && (cd "$tmp/book" && ./prepare)
    rm -f "$tmp/book/prepare" "$tmp/book/expect"
    $lint --root "$tmp/book" > "$tmp/all" 2> "$tmp/errors"
    status=$?
    grep -v '^lint: ' "$tmp/all" > "$tmp/got"
    touch "$tmp/expect"
    if [ "$rule" = clean ]; then : > "$tmp/expect"; want=0
    else cp "$folder/expect" "$tmp/expect"; want=1; fi
    diff -u "$tmp/expect" "$tmp/got" > "$tmp/diff"
    same=$?
    [ $same -eq 0 ] && [ $status -eq $want ] && [ ! -s "$tmp/errors" ]
    ok=$?
    result $ok "lint: $rule"
    [ $ok -eq 0 ] || { echo "# status $status, wanted $want"
                       sed 's/^/# /' "$tmp/errors" "$tmp/diff"; }
done

# Without its tool a rule says that it did not run.
mkdir "$tmp/bin"
for tool in lua5.4 sh ls cat head find grep xargs git rm; do
    ln -s "$(command -v $tool)" "$tmp/bin/$tool"
done
PATH=$tmp/bin $lint --root "$data/clean" > "$tmp/all" 2>&1
grep -q '^lint: spelling: skipped, hunspell' "$tmp/all"
result $? "lint: says that spelling was skipped when hunspell is missing"
grep -q '^lint: shell: skipped, shellcheck' "$tmp/all"
result $? "lint: says that scripts were skipped when shellcheck is missing"

$lint --rot x > /dev/null 2>&1
[ $? -eq 2 ]
result $? "lint: an unknown option is misuse"
echo "1..$n"
