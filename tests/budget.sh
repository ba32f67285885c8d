#!/bin/bash
# simt-budget: twenty kernels, a regression planted in each and seen; edits
# that change nothing, and no alarm; and what it says to wrong files and words.
. tests/lib/run.sh
budget=$BIN/simt-budget
if ! [ -x "$budget" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "budgets" "no $budget, or no clang"
    finish
fi
SIMTCC_CACHE=${SIMTCC_CACHE:-$PWD/build/headers}
export SIMTCC_CACHE
unset GITHUB_ACTIONS SIMT_CHECK
kernels=$dir/kernels.cu
cp tests/data/budget/kernels.cu "$kernels"

# gives STATUS PATTERN WORD...: simt-budget ends so, and says so
gives() {
    local want=$1 pattern=$2 got
    shift 2
    "$budget" "$@" > "$dir/said" 2>&1
    got=$?
    [ $got = "$want" ] && grep -qE -e "$pattern" "$dir/said" && return
    echo "status $got, expected $want and /$pattern/, found:"
    cat "$dir/said"
    return 1
}

# ---- twenty regressions ----------------------------------------------------
check "a budget of twenty kernels is written" \
    gives 0 'kernels: 20$' --update "$kernels" "$dir/kernels.yaml"
check "and kept" gives 0 '^20 kernels, all within budget$' \
    "$kernels" "$dir/kernels.yaml"
"$budget" -DSLOW "$kernels" "$dir/kernels.yaml" > "$dir/slow" 2>&1
sees() {            # KERNEL COUNT LINE: it is over, and the line is shown first
    awk -v head="$1: over: $2 " -v line="$3" '
        index($0, head) == 1 { found = 1; next }
        found { seen = line == "-" || index($0, line) > 0; exit }
        END { exit !(found && (seen || line == "-")) }' "$dir/slow" && return
    grep -A2 "^$1" "$dir/slow"
    return 1
}
while IFS='|' read -r kernel what line why; do
    check "planted: $kernel: $why" sees "$kernel" "$what" "$line"
done <<'END'
copy|sectors read|out[i] = in[from]|a stride instead of neighbours
transpose|bank conflicts|= tile[|padding removed
scale|launches|-|launched twice
sum_blocks|divergent branches|if (GOOD_OR_SLOW(t < half|interleaved addressing
sum_all|atomic sectors|atomicAdd(sum, mine)|an atomic from four lanes of a warp
histogram|atomic sectors|atomicAdd(where|global instead of shared atomics
stencil|sectors read|out[i] = (i > 0|a neighbour read from memory again
matmul|bank conflicts|sum += as[y][i]|a tile read by columns
matvec|sectors read|sum += a[row|a row for each lane
softmax|sectors written|out[blockIdx.x * n + k] = e;|an intermediate result written
layernorm|sectors read|sum += row[k]|a second pass over the row
scan|shared memory|-|a block asks for more shared memory
gather|sectors written|out[row * 16|rows go to different lanes
push|sectors written|((volatile float *)|parts instead of a float4
saxpy|double flop|a * x[i] + y[i]|double by accident
largest|local sectors|best[j] = max|an array in local memory
even_or_odd|divergent branches|if (group)|groups smaller than a warp
bias_gelu|special functions|powf|powf for a cube
compact|atomic sectors|out[atomicAdd|an atomic for each element
ring|barriers|__syncthreads|a barrier too many
END
while read -r number kernel; do
    check "planted: $kernel: a missing barrier" \
        gives 1 "in $kernel" "-DRACE=$number" "$kernels" "$dir/kernels.yaml"
    check "a kernel that races is not compared" \
        grep -q 'nothing is compared' "$dir/said"
done <<'END'
1 transpose
2 sum_blocks
3 histogram
4 matmul
5 scan
6 ring
END

printed() {
    sed -n '/^```yaml/,/^```/p' chapters/course/budget.nw | grep -v '^```' > "$dir/printed"
    grep -qxF '  "transpose":' "$dir/printed" && ! grep -vxFf "$dir/kernels.yaml" "$dir/printed"
}
check "the budget that the book prints is that of the transpose" printed

# ---- a hundred edits that change nothing -----------------------------------
# A kind of edit is made in all kernels at once; each must differ from before.
body() {            # KERNEL FILE: its text
    awk -v name="$1" '/^__global__/ { on = $0 ~ " " name "\\(" }
        /^(int|static|enum|struct)/ { on = 0 } on' "$2"
}
changed() {         # FILE: all twenty are different
    local kernel
    sed -n 's/^__global__ void \([a-z_]*\)(.*/\1/p' "$kernels" | while read -r kernel; do
        [ "$(body "$kernel" "$1")" != "$(body "$kernel" "$kernels")" ] ||
            { echo "$kernel is as before"; return 1; }
        [ "$(body "$kernel" "$1" | wc -l)" -gt 3 ] ||
            { echo "$kernel is lost"; return 1; }
    done
}
neutral() {         # KIND: $dir/KIND.cu is counted as before
    check "neutral: $1 changes all kernels" changed "$dir/$1.cu"
    check "neutral: $1: no alarm in twenty kernels" \
        gives 0 '^20 kernels, all within budget$' "$dir/$1.cu" "$dir/kernels.yaml"
    check "neutral: $1: nothing is better either" sh -c "! grep better '$dir/said'"
}
sed -E 's/\<(i|t|n|k|d|x|y|row|sum|mine|lane|in|out|best|keep|part|stage)\>/\1_new/g
    s/(threadIdx|blockIdx|blockDim|gridDim|p)\.(x|y)_new/\1.\2/g
    s/struct Particle.*/struct Particle { float x, y, z, mass; };/' \
    "$kernels" > "$dir/renamed.cu"
awk '/^ *#/ || /\\$/ { print; next }
    { gsub(/^ +/, "\t"); sub(/ = /, " =\n\t\t"); gsub(/; i/, ";\n i"); print }' \
    "$kernels" > "$dir/reformatted.cu"
awk '/^__global__/ { n++; $0 = $0 "  // moved" }
    /^enum/ { for (; n > 0; n--) printf "%s", part[n] }
    n == 0 { print; next }
    { part[n] = part[n] $0 "\n" }' \
    "$kernels" > "$dir/reordered.cu"
awk '/^__global__/ { print; inside = 1; next }
    /^{$/ && inside { print "{   // a block in a block\n    do {"; next }
    /^}$/ && inside { print "    } while (0);    // once\n}"; inside = 0; next }
    { print }' "$kernels" > "$dir/bracketed.cu"
for kind in renamed reformatted reordered bracketed; do neutral $kind; done
others=0
for clang in clang-14 clang-16 clang-19; do
    command -v $clang > /dev/null || continue
    others=$((others + 1))
    check "neutral: $clang: no alarm in twenty kernels" \
        env CLANG=$clang "$budget" "$kernels" "$dir/kernels.yaml"
done
[ $others -gt 0 ] || skip "neutral: another clang" "no clang-14, -16 or -19"
check "neutral: -O3: no alarm in twenty kernels" \
    gives 0 'all within budget' -O3 "$kernels" "$dir/kernels.yaml"

# ---- wrong versions of it that these rows must see --------------------------
"$BIN/simtcc" -DSLOW "$kernels" -o "$dir/slow-kernels"
"$budget" "$dir/slow-kernels" "$dir/kernels.yaml" > "$dir/right" 2>&1
mkdir "$dir/wrong"
ln -s "$PWD/$BIN/simtcc" "$dir/wrong/simtcc"
while IFS='|' read -r what change; do
    sed "$change" "$budget" > "$dir/wrong/simt-budget"
    chmod +x "$dir/wrong/simt-budget"
    misses() {
        ! cmp -s "$budget" "$dir/wrong/simt-budget" || return 1
        "$dir/wrong/simt-budget" "$dir/slow-kernels" "$dir/kernels.yaml" > "$dir/slow" 2>&1
        ! cmp -s "$dir/right" "$dir/slow"
    }
    check "wrong: $what is seen" misses
done <<'END'
a count that is not in the file is not compared|s/if (most == "any") return/if (most == "any" || most == "") return/
sums over launches taken from the last|s/+= \$5/= $5/
only the first part of a count|s/for (i = 1; i <= n; i++)$/for (i = 1; i <= 1; i++)/
the shortest difference first|s/if (more > best/if (more > 0/
a line's count for the kernel's|s/count(kernel, "", name)/count(kernel, line_in[kernel, 1], name)/
END

# ---- its own behaviour -----------------------------------------------------
mkdir "$dir/a folder"
cu="$dir/a folder/add.cu" yaml="$dir/a folder/add.yaml"
cat > "$cu" <<'END'
#include <cstdio>
#include <cstdlib>
#ifndef WIDTH
#define WIDTH 1
#endif
__global__ void add(float *c, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i * WIDTH % n] = a[i] + "\\\"2"[2] - '"';
}
int main(int words, char **word)
{
    int n = words > 1 ? atoi(word[1]) : 256;
    float *a, *c;
    if (words > 2)
        exit(atoi(word[2]));
    cudaMalloc(&a, 4 * n);
    cudaMalloc(&c, 4 * n);
    cudaMemset(a, 0, 4 * n);
    add<<<(n + 127) / 128, 128>>>(c, a, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
wrote() { gives 0 'kernels: 1$' --update "$@" && cat "$yaml"; }
check "a path with blanks; quotes and backslashes in the source" wrote "$cu" "$yaml"
has() { grep -qF -e "$1" "$yaml" || { cat "$yaml"; return 1; }; }
check "the budget has the counts" has "    sectors_read: 32"
check "and the lines" has '- source: "c[i * WIDTH % n] = a[i] + \"\\\\\\\"2\"[2]'
check "it is kept" gives 0 '^1 kernel, all within' "$cu" "$yaml"
check "a line whose text has quotes is known again" \
    gives 1 'add.cu:10  256, before 32' -DWIDTH=33 "$cu" "$yaml"
check "-D is passed on" grep -q 'over: sectors written' "$dir/said"
check "GitHub is told the line" env GITHUB_ACTIONS=true sh -c \
    "'$budget' -DWIDTH=33 '$cu' '$yaml' | grep '^::error file=.*add.cu,line=10::add: sectors written 256'"
cp "$yaml" "$dir/first"
wrote "$cu" "$yaml" > "$dir/log" 2>&1
check "an update without a change is the same file" cmp "$dir/first" "$yaml"
check "arguments are compared too" gives 1 'sectors read 64' "$cu" "$yaml" -- 512
wrote "$cu" "$yaml" -- 512 > "$dir/log" 2>&1
sed -i.old 's/^compiler: .*/compiler: "clang 3"/' "$yaml"
check "a count that is over tells of another compiler" \
    gives 1 '^The budget was made by clang 3, this is clang [0-9]+:' -DWIDTH=33 "$cu" "$yaml"
check "one that is within does not" sh -c "! '$budget' '$cu' '$yaml' | grep 'made by clang 3'"
wrote "$cu" "$yaml" > "$dir/log" 2>&1
check "an update names the compiler" grep -qE '^compiler: "clang [1-9][0-9]+"$' "$yaml"
check "an update keeps the arguments" has 'run: "512"'
check "and takes them from the file" gives 0 'all within' "$cu" "$yaml"
# Threads that read what their neighbours write; a line of text for each of 99.
cat > "$dir/race.cu" <<'END'
#include <cstdio>
__global__ void turn(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = p[threadIdx.x];
    p[threadIdx.x] = s[63 - threadIdx.x];
}
int main(void)
{
    int *p;
    for (int i = 1; i < 100; i++)
        printf("line %d\n", i);
    fflush(stdout);
    cudaMalloc(&p, 256);
    cudaMemset(p, 0, 256);
    turn<<<1, 64>>>(p);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
race() { gives "$1" "$2" "${@:3}" "$dir/race.cu" "$dir/race.yaml"; }
check "a race" race 1 'the sanitizer \(check: memory,init,race,sync\) found the above' --update
check "of a long text the first lines are shown" grep -q '^line 1$' "$dir/said"
check "and the last" grep -q '^the sanitizer found [0-9]* problem' "$dir/said"
check "and how many are not" grep -qE '^\.\.\. [0-9]+ lines are left out' "$dir/said"
check "not the others" sh -c "! grep -q '^line 50' '$dir/said'"
check "a race is an annotation too" env GITHUB_ACTIONS=true sh -c \
    "'$budget' --update '$dir/race.cu' '$dir/race.yaml' 2>&1 |
     grep '^::error file=.*race.cu,line=[78]::simt-budget: race'"
check "what is not watched is not found" race 0 'kernels: 1$' --update --check=memory,init
check "an update writes what is watched" grep -qx 'check: "memory,init"' "$dir/race.yaml"
check "the budget says what is watched" race 0 'all within'
check "an update keeps it" race 0 'kernels: 1$' --update
check "so that it is still not found" race 0 'all within'
check "SIMT_CHECK is before the budget" env SIMT_CHECK=race sh -c \
    "'$budget' '$dir/race.cu' '$dir/race.yaml' 2>&1 | grep 'check: race'"
echo 'int main() { float x = 2147483647; return !x + "a" == 0; }' > "$dir/warn.cu"
"$budget" "$dir/warn.cu" "$dir/race.yaml" > "$dir/said" 2>&1
check "the compiler's warnings are left to the compiler" sh -c "! grep warning '$dir/said'"
check "fewer than the budget is no failure, and told" \
    gives 0 'better: sectors read 32, budget 64' "$cu" "$yaml" -- 256
edit() { sed -i -e "$1" "$yaml"; }
edit '/^run/a options: "-DWIDTH=3"'
check "options come from the file" \
    gives 1 'over: sectors written 192, budget 64' "$cu" "$yaml"
edit 's/^    sectors_written: [0-9]*$/    sectors_written: any/; /^    launches/a \    instructions: 1'
check "a count of any is not compared; one that was added is" \
    gives 1 'over: instructions' -DWIDTH=33 "$cu" "$yaml"
check "any, alone" sh -c "! grep written '$dir/said'"
wrote "$cu" "$yaml" > "$dir/log" 2>&1
check "an update keeps options" has 'options: "-DWIDTH=3"'
check "an update keeps any" has 'sectors_written: any'
check "an update keeps instructions" grep -qE '    instructions: [0-9]{2,}$' "$yaml"
edit 's/^    sectors_read: 64$/    sectors_read: 63/'
check "one sector too many is over" gives 1 'sectors read 64, budget 63' "$cu" "$yaml"
edit '/^run/a allow: 2'
check "but not with 2 % more allowed" gives 0 'all within' "$cu" "$yaml"
edit 's/^    sectors_read: 63$/    sectors_read: 62/'
check "and 3 % are more than 2" gives 1 'sectors read 64, budget 62' "$cu" "$yaml"
wrote "$cu" "$yaml" > "$dir/log" 2>&1
check "an update keeps what is allowed" has 'allow: 2'
sed 's/"add":/"subtract":/' "$yaml" > "$dir/other.yaml"
check "a kernel that is not in the budget" gives 1 'add: not in the budget' "$cu" "$dir/other.yaml"
check "a kernel that did not run" grep -q 'subtract: in the budget, but it was not' "$dir/said"
check "which may be a new name" grep -qF "If subtract is now add, rename it in $dir/other.yaml." "$dir/said"
cat > "$dir/tiles.cu" <<'END'
#include <cstdio>
template <int size, int stride> __global__ void load(int *p)
{
    p[threadIdx.x * stride] += size;
}
template <int size> __global__ void store(int *p) { p[threadIdx.x] = size; }
#ifndef SIZE
#define SIZE 8
#endif
#ifndef STRIDE
#define STRIDE 1
#endif
int main(void)
{
    int *p;
    cudaMalloc(&p, 4096 * 4);
    cudaMemset(p, 0, 4096 * 4);
    load<SIZE, STRIDE><<<1, 64>>>(p);
#ifdef TWO
    store<1><<<1, 64>>>(p);
    store<2><<<1, 64>>>(p);
#else
    store<3><<<1, 64>>>(p);
#endif
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
tiles() {           # STATUS PATTERN WORD...
    gives "$1" "$2" "${@:3}" "$dir/tiles.cu" "$dir/tiles.yaml"
}
check "a budget of templates" tiles 0 'kernels: 2$' --update
sed -i.old '/"load</a \    sectors_written: any\n    instructions: 1' "$dir/tiles.yaml"
sed -i.old '/^    sectors_written: [0-9]/{x;s/^/x/;/^x$/{x;d};x}' "$dir/tiles.yaml"
cp "$dir/tiles.yaml" "$dir/tiles-first.yaml"
check "a template with other arguments is compared" \
    tiles 1 'load<16, 2>: compared with load<8, 1>' -DSIZE=16 -DSTRIDE=2
check "with its counts" grep -q '^load<16, 2>: over: sectors read 16, budget 8 ' "$dir/said"
check "its lines" grep -q 'tiles.cu:4  16, before 8 ' "$dir/said"
check "counts that were added" grep -q 'over: instructions' "$dir/said"
check "and any" sh -c "! grep 'written' '$dir/said'"
check "an update of such a template" tiles 0 'kernels: 2$' --update -DSIZE=16 -DSTRIDE=2
check "keeps any" grep -q 'sectors_written: any' "$dir/tiles.yaml"
check "and what was added" grep -q 'instructions: [0-9]' "$dir/tiles.yaml"
cp "$dir/tiles-first.yaml" "$dir/tiles.yaml"
# wrong_of WHAT SED-SCRIPT WORD...: so changed, simt-budget says another thing
wrong_of() {
    sed "$2" "$budget" > "$dir/wrong/simt-budget"
    "$budget" "${@:3}" > "$dir/right" 2>&1
    "$dir/wrong/simt-budget" "${@:3}" > "$dir/slow" 2>&1
    check "wrong: $1 is seen" sh -c "! cmp -s '$budget' '$dir/wrong/simt-budget' &&
        ! cmp -s '$dir/right' '$dir/slow'"
}
new=(-DSIZE=16 -DSTRIDE=2 "$dir/tiles.cu" "$dir/tiles.yaml")
wrong_of "a template that is not looked for" '/^    find_templates()$/d' "${new[@]}"
wrong_of "a count of the new name" 's/most = budget\[budget_name(kernel)/most = budget[kernel/' "${new[@]}"
wrong_of "a line of the new name" 's/^    old = budget_name(kernel)$/    old = kernel/' "${new[@]}"
wrong_of "any template for any other" 's/n_new\[name\] == 1 \&\& //' -DTWO "${new[@]:2}"
check "one template that became two is not compared" \
    tiles 1 'store<1>: not in the budget' -DTWO
check "nor free" grep -q 'store<3>: in the budget, but it was not' "$dir/said"
"$BIN/simtcc" "$cu" -o "$dir/add"
sed '/^options/d; s/^run.*/run: "256"/' "$yaml" > "$dir/program.yaml"
check "a program that was made before" gives 0 'all within' "$dir/add" "$dir/program.yaml"
check "a program that fails" gives 1 'ended with status 3; nothing is' "$dir/add" "$yaml" -- 5 3
check "a program without counts" gives 1 'no counts came; did simtcc make' /bin/true "$yaml"
cp "$yaml" "$dir/before"
check "an update from a program that fails" gives 1 'status 3' --update "$dir/add" "$yaml" -- 5 3
check "leaves the file as it was" cmp "$dir/before" "$yaml"
echo '__global__ void f() { x }' > "$dir/wrong.cu"
check "a source that does not compile" gives 1 'it does not compile' "$dir/wrong.cu" "$yaml"
while IFS='|' read -r change what; do
    sed "$change" "$yaml" > "$dir/bad.yaml"
    check "a budget with $what" gives 2 "$what" "$cu" "$dir/bad.yaml"
done <<'END'
s/^    sectors_read: 64$/    sectors_read: many/|bad.yaml:[0-9]+: .*a whole number or any
s/^    sectors_read: 64$/    sectors_red: 64/|bad.yaml:[0-9]+: sectors_red is not the name
s/^kernels:/kernel:/|bad.yaml:[0-9]+: kernel:: not understood
s/source: "c.*/source: c/|bad.yaml:[0-9]+: .*expected - source
s/allow: 2/allow: two/|allow: two is not a percentage
END
check "no budget" gives 2 'no budget: name' "$cu"
check "two budgets" gives 2 'two budgets' "$cu" "$yaml" "$yaml"
check "a budget that is not there" gives 2 'none.yaml cannot be read; make it' "$cu" "$dir/none.yaml"
check "no source" gives 2 'nothing to run' "$yaml"
check "a source that is not there" gives 2 'none.cu: no such file' none.cu "$yaml"
check "an option that is none" gives 2 'upate: no such option' --upate "$cu" "$yaml"
check "help" gives 0 '^Usage: simt-budget' --help
# An array that is indexed in loops, as in a tile of a matrix product.
cat > "$dir/tile.cu" <<'END'
__global__ void tile(float *p)
{
    float sum[64] = {}, a[8], b[8];
    for (int k = 0; k < 8; k++) {
        for (int i = 0; i < 8; i++)
            a[i] = p[k * 8 + i];
        for (int i = 0; i < 8; i++)
            b[i] = p[64 + k * 8 + i];
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                sum[i * 8 + j] += a[i] * b[j];
    }
    for (int i = 0; i < 64; i++)
        p[128 + i] = sum[i];
}
int main()
{
    float *p;
    cudaMalloc(&p, 4 * 192);
    cudaMemset(p, 0, 4 * 192);
    tile<<<1, 1>>>(p);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
for clang in clang clang-14 clang-16 clang-19; do
    command -v $clang > /dev/null || continue
    check "$clang: an array that loops index is in registers" env CLANG=$clang sh -c \
        "'$budget' --update '$dir/tile.cu' '$dir/tile.yaml' && ! grep local '$dir/tile.yaml'"
done
sed -i.old '/^kernels/i options: "-mllvm -unroll-threshold=10"' "$dir/tile.yaml"
check "the options can say otherwise" gives 1 'over: local sectors' "$dir/tile.cu" "$dir/tile.yaml"
for awk in mawk gawk original-awk "busybox awk"; do
    command -v "${awk% *}" > /dev/null || continue
    mkdir -p "$dir/bin"
    # shellcheck disable=SC2016     # for the script
    printf '#!/bin/sh\nexec %s "$@"\n' "$awk" > "$dir/bin/awk"
    chmod +x "$dir/bin/awk"
    check "$awk gives the same budget" env PATH="$dir/bin:$PATH" \
        "$budget" --update "$kernels" "$dir/awk.yaml"
    check "$awk, byte for byte" cmp "$dir/awk.yaml" "$dir/kernels.yaml"
done

# ---- the action ------------------------------------------------------------
mkdir -p "$dir/moving-bytes"
ln -s "$PWD/$BIN" "$dir/moving-bytes/bin"
act() { RUNNER_TEMP=$dir BUDGETS=$1 bash .github/actions/simt-budget/compare.sh; }
cp "$kernels" "$dir/k.cu"
check "the action: lines that are within" act "
$dir/k.cu $dir/kernels.yaml
$kernels $dir/kernels.yaml"
mkdir "$dir/with blanks"
cp "$kernels" "$dir/with blanks/k.cu"
check "the action: quotes" act "-DSAY='a \"b\" c' \"$dir/with blanks/k.cu\" $dir/kernels.yaml"
check "the action: a shell's words are not obeyed" sh -c \
    "! RUNNER_TEMP='$dir' BUDGETS='\$(touch $dir/obeyed) \`touch $dir/obeyed\`; touch $dir/obeyed' \
     bash .github/actions/simt-budget/compare.sh 2> /dev/null && ! test -e '$dir/obeyed'"
fails() {
    if act "-DSLOW $dir/k.cu $dir/kernels.yaml
$dir/k.cu $dir/kernels.yaml" > "$dir/said"; then echo "it passed"; return 1; fi
    tail -1 "$dir/said" | grep 'all within'
}
check "the action: a line that is over fails the step, and the next still runs" fails
finish
