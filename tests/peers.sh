#!/bin/bash
# What others' programs do is measured by us, or published where the reader
# can look it up: no sentence gives a time or a rate of one as [...]{.given}
# without saying whose number it is.
. tests/lib/run.sh

# sentences FILE...: those that name another program beside a given time or
# rate, and cite nothing
unsourced() {
    awk '/^<<.*>>=/ { code = 1 } /^@( |$)/ { code = 0 }
        code { next }
        { count = split($0, sentence, /[.!?:;] /)
          for (i = 1; i <= count; i++) {
              s = sentence[i]
              if (s ~ /cuDNN|PyTorch|FlashAttention|llm\.c|Triton|Inductor/ &&
                  s ~ /([mnuµ]s|\/s)\]\{\.given\}/ && s !~ /\[@/)
                  print FILENAME ":" FNR ": " substr(s, 1, 160)
          } }' "$@"
}
# shellcheck disable=SC2046
found=$(unsourced $(find chapters -name '*.nw'))
check "times and rates of other programs have a source" \
    sh -c 'printf "%s\n" "$1"; test -z "$1"' sh "$found"

# What it must and must not find.
cat > "$dir/page.nw" <<'PAGE'
cuDNN does it in [309 µs]{.given}, once. We need more.
| cuDNN | [309 µs]{.given} |
FlashAttention-3 needs [1,237 µs]{.given} [@somebody]. A copy moves [4 TB/s]{.given}.
PyTorch reaches [2 TFLOP/s]{.given} here.
<<a chunk>>=
/* PyTorch reaches [2 TFLOP/s]{.given} here. */
@

PyTorch 2.11 takes @num:some.row for it.
PAGE
check "it finds the three that have none" test \
    "$(unsourced "$dir/page.nw" | cut -d: -f2 | tr '\n' ' ')" = "1 2 4 "
finish
