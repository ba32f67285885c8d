#!/bin/bash
# tests/foreign/try: finds the programs of a checkout, keeps its limits, and
# calls what became of each by its name.  The programs are shell scripts, and
# the compiler one that copies them: what is tested here is the judge.
. tests/lib/run.sh
if ! command -v lua5.4 > /dev/null; then
    skip "a judge of foreign programs" "no lua5.4"
    finish
fi
cat > "$dir/simtcc" <<'END'
#!/bin/sh
for word; do
    case $word in *.cu) source=$word ;; esac
    last=$word
done
if grep '^error' "$source" | sed "s|^|$source:1:1: |" | grep .; then
    exit 1
fi
cp "$source" "$last" && chmod +x "$last"
END
chmod +x "$dir/simtcc"
mkdir -p "$dir/all/deep/er" "$dir/all/listed"

# program CLASS NAME LINE...: one that must come to be called that
program() {
    local class=$1 name=$2
    shift 2
    printf '%s\n' '#!/bin/sh' ': main (' "$@" > "$dir/all/$name.cu"
    sed -i 's/^: main (/: "\nint main ("/' "$dir/all/$name.cu"
    printf '%s\t%s\n' "$class" "$name.cu" >> "$dir/wanted"
}
program passed good 'echo "Test passed"'
program clean quiet 'echo 42'
program clean deep/er/quiet 'echo 42'
program failed prints 'echo "Result verification failed at 3"'
program passed none 'echo "0 failed, all results match"'
program failed status 'exit 3'
program passed norm 'echo "L1 error: 2.745062E-08"; echo "Test passed"'
program passed wanted 'echo "simt: x [cudaErrorAssert]" >&2' \
    'echo "the assert failed as expected, OK"; echo success'
program failed errors 'echo "Error: 3 differ"'
program alarm race 'echo "a.cu:3: race: thread 1" >&2; exit 86'
program alarm twice 'echo "the sanitizer found 1 problem: 1 free" >&2' \
    'exit 86'
program clean note 'echo "the sanitizer found 1 problem: 1 leak" >&2'
program failed asks 'echo "simt: no such thing [cudaErrorNotSupported]" >&2'
program waived two 'echo "at least two GPUs are required"; exit 2'
program outside wants 'echo "Usage: wants FILE"; exit 1'
program crash dies 'kill -SEGV $$'
program time spins 'while :; do :; done'
program time sleeps 'sleep 100'
program memory grows 'exec lua5.4 -e "x = string.rep(1, 3e8)"'
program clean fits 'exec lua5.4 -e "x = string.rep(1, 3e7)"'
program compile bad "error: no matching function for call to 'f'"
program refused has "error: simtcc: the software GPU has no textures"
program outside draws "error: 'GL/glut.h' file not found"
printf '#!/bin/sh\nexit 0\n' > "$dir/all/listed/one.cu"
echo 'add_executable(lister one.cu) # add_executable(never one.cu)' \
    > "$dir/all/listed/CMakeLists.txt"
printf 'clean\tlisted/lister\n' >> "$dir/wanted"

SIMTCC=$dir/simtcc tests/foreign/try -t 1 -m 200 -o "$dir/out" \
    "$dir/all" > "$dir/stdout" 2> "$dir/stderr"
while IFS='	' read -r class name; do
    got=$(awk -F '\t' -v n="$name" '$2 == n { print $1 }' \
        "$dir/out/results.tsv")
    if [ "$got" = "$class" ]; then
        ok "$name is called $class"
    else
        not_ok "$name is called $class" "it is called '$got': $(
            grep -F "$name" "$dir/out/results.tsv") $(cat "$dir/stderr")"
    fi
done < "$dir/wanted"
check "nothing else is found" test \
    "$(wc -l < "$dir/out/results.tsv")" = "$(wc -l < "$dir/wanted")"
check "nothing is written into the checkout" test -z \
    "$(find "$dir/all" -newer "$dir/wanted" -type f)"
mb=$(awk -F '\t' '$2 == "fits.cu" { split($3, a, " "); print a[2] }' \
    "$dir/out/results.tsv")
check "its memory is told: 30 MB and a little" test \
    "${mb:-0}" -ge 30 -a "${mb:-0}" -lt 100

SIMTCC=$dir/simtcc tests/foreign/try -c -o "$dir/out" "$dir/all" deep dies \
    > /dev/null 2>&1
check "-c, and words, compile what they name" test "$(cut -f 1,2 \
    "$dir/out/results.tsv" | tr '\t\n' '  ')" = \
    'compiled deep/er/quiet.cu compiled dies.cu '
refuses "no folder" 2 'nowhere is no folder' tests/foreign/try nowhere
refuses "no simtcc" 1 'make build/bin/simtcc' \
    env SIMTCC=/nonexistent tests/foreign/try "$dir/all"
refuses "limit: no program" 2 'usage: limit SECONDS' "$dir/out/limit" 1 1 x
finish
