# shellcheck shell=sh
# Sourced where a known mistake is made (POSIX sh).  A .wrong, .cu-wrong or
# .c-wrong file ends in
#
#     --- was
#     a text that occurs exactly once in the source
#     --- now
#     what replaces it
#
# What counts are the tokens of C: not white space, line breaks or comments.
# A line `in: transpose_v3` above means: once in that function, or macro.
# make_wrong writes the changed source.  A text that does not occur, or occurs
# twice, is an error: the mistake would be made nowhere, or who knows where.
make_wrong() {      # .wrong file, source file -> the changed source
    lua5.4 tests/lib/wrong.lua "$1" "$2"
}
