# Print the table of code/gpt2/unicode_table.h from the Unicode Character
# Database (Debian: package unicode-data):
#
#   d=/usr/share/unicode
#   awk -f tests/reference/unicode_tables.awk $d/PropList.txt $d/UnicodeData.txt
#
# Letters are the categories L*, numbers N*, spaces the property White_Space.
# A number of the table is 4 * first + class: from the code point `first` on,
# until the next number, characters are of that class.
function value(hex,    i, v) {
    v = 0
    for (i = 1; i <= length(hex); i++)
        v = 16 * v + index("0123456789ABCDEF", substr(hex, i, 1)) - 1
    return v
}
FNR == 1 { file++ }
FNR == 1 && file == 1 { version = $2; gsub(/PropList-|\.txt/, "", version) }
file == 1 && $0 ~ /; White_Space/ {
    n = split($1, ends, /\.\./)
    for (c = value(ends[1]); c <= value(ends[n]); c++) class[c] = 3
}
file == 2 {
    split($0, f, ";")
    c = value(f[1]); kind = substr(f[3], 1, 1)
    k = kind == "L" ? 1 : kind == "N" ? 2 : 0
    from = f[2] ~ /, Last>$/ ? start : c
    if (f[2] ~ /, First>$/) start = c
    if (k) for (i = from; i <= c; i++) class[i] = k
}
END {
    printf "/* Unicode %s */\n", version
    now = 0; line = "   "
    for (c = 0; c <= 1114111; c++) {
        k = (c in class) ? class[c] : 0
        if (k == now) continue
        item = sprintf(" %d,", 4 * c + k)
        if (length(line) + length(item) > 76) { print line; line = "   " }
        line = line item; now = k
    }
    print line
}
