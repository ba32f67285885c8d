# Sourced where a known mistake is made (POSIX sh): a .wrong or .cu-wrong file
# ends in
#
#     --- was
#     lines that occur exactly once in the source
#     --- now
#     the lines that replace them
#
# A line `in: transpose_v3` above them means: once in that function, from the
# first line with these words to the first `}` alone.
# make_wrong writes the changed source.  Lines that do not occur, or occur
# twice, are an error: the mistake would be made nowhere, or who knows where.
make_wrong() {      # .wrong file, source file -> the changed source
    awk -v wrong="$1" '
        BEGIN {
            while ((getline line < wrong) > 0) {
                if (line == "--- was") part = "was"
                else if (line == "--- now") part = "now"
                else if (part) text[part] = text[part] line "\n"
                else if (sub(/^in: /, "", line)) words = line
            }
            place = words == "" ? "in" : "before"
        }
        place == "before" && index($0, words) { place = "in" }
        { source[place] = source[place] $0 "\n" }
        place == "in" && words != "" && $0 == "}" { place = "after" }
        END {
            was = text["was"]
            at = was == "" ? 0 : index(source["in"], was)
            rest = substr(source["in"], at + length(was))
            if (!at) say = "the lines under --- was do not occur"
            else if (index(rest, was)) say = "those lines occur twice"
            if (say) { print say > "/dev/stderr"; exit 1 }
            printf "%s%s%s%s%s", source["before"],
                substr(source["in"], 1, at - 1), text["now"], rest,
                source["after"]
        }' "$2"
}
