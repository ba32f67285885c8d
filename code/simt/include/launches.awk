# Tangled from chapters/workshop/foreign-features.nw, "Kernels that launch kernels".  Edit it there.

# the kind of a function
# launches.awk: launches in kernels become calls, and blanks in <<< go away
function header_kind(h) {
    if (depth > 0 && kind[depth] == "device")
        return "device"
    return h ~ /__(global|device)__/ && h !~ /__host__/ && h ~ /\(/ \
           ? "device" : "other"
}
function flush_text() { printf "%s", out; out = "" }

# skip what is no code
# the index after what ends a comment, a string or a line that begins at i
function skip(i,    c, q) {
    c = substr(text, i, 2)
    if (c == "//") {
        while (i <= n && substr(text, i, 1) != "\n")
            i += substr(text, i, 1) == "\\" ? 2 : 1
        return i
    }
    if (c == "/*")
        return index(substr(text, i + 2), "*/") + i + 3
    q = substr(c, 1, 1)
    for (i++; i <= n && (c = substr(text, i, 1)) != q && c != "\n"; i++)
        if (c == "\\")
            i++
    return i + 1
}

# find the end of a launch
# where the launch that begins at i has its closing >>>; sets after, inside
function launch_end(i,    level, c, rest) {
    for (level = 0; i <= n; i++) {
        c = substr(text, i, 1)
        if (c == "\"" || (c == "/" && substr(text, i, 2) ~ /\/[\/*]/)) {
            i = skip(i) - 1
            continue
        }
        level += (c ~ /[([{]/) - (c ~ /[])}]/)
        if (level < 0 || c == ";")
            return 0
        rest = substr(text, i, 40)
        if (level == 0 && c == ">" &&
            match(rest, /^>[ \t]*>[ \t]*>[ \t\n]*\(/)) {
            after = i + RLENGTH - 1
            return i
        }
    }
    return 0
}

# find the name of the kernel
# the kernel's name at the end of out, perhaps with arguments of a template
function callee(    i, level, c) {
    i = length(out)
    while (i > 0 && substr(out, i, 1) ~ /[ \t\n]/)
        i--
    if (substr(out, i, 1) == ">")
        do {
            c = substr(out, i--, 1)
            level += (c == ">") - (c == "<")
        } while (level > 0 && i > 0)
    while (i > 0 && substr(out, i, 1) ~ /[A-Za-z0-9_:]/)
        i--
    return i + 1
}

# rewrite a text
{ text = text $0 "\n" }
END {
    n = length(text)
    printf "#line 1 \"%s\"\n", file
    for (i = 1; i <= n; ) {
        c = substr(text, i, 1)
        two = substr(text, i, 2)
        # copy a line for the preprocessor
        if (c == "#" && blank) {
            for (j = i; j <= n && substr(text, j, 1) != "\n"; j++)
                if (substr(text, j, 1) == "\\")
                    j++
            line = substr(text, i, j - i)
            if (gsub(/<<[ \t]+</, "<<<", line))
                gsub(/>>[ \t]+>/, ">>>", line)
            out = out line
            if (line ~ /^#[ \t]*if/)
                opened[++ifs] = depth
            else if (line ~ /^#[ \t]*el/ && ifs)
                depth = opened[ifs]
            else if (line ~ /^#[ \t]*endif/ && ifs)
                ifs--
            i = j
            continue
        }
        # copy a comment or a string
        if (c == "\"" || two == "//" || two == "/*" ||
            (c == "'" && substr(text, i, 4) ~ /^'(\\.|[^\\])'/)) {
            j = skip(i)
            out = out substr(text, i, j - i)
            i = j
            blank = 0
            continue
        }
        # rewrite a launch
        begin = 0
        if (c == "<" && match(substr(text, i, 12), /^<[ \t]*<[ \t]*</))
            begin = i + RLENGTH
        if (begin && (e = launch_end(begin))) {
            inside = substr(text, begin, e - begin)
            if (depth > 0 && kind[depth] == "device") {
                b = callee()
                name = substr(out, b)
                out = substr(out, 1, b - 1) "SIMT_CHILD(" name \
                      ").on(" inside ")"
            } else
                out = out "<<<" inside ">>>"
            i = after
            continue
        }
        # follow the braces
        out = out c
        head = head c
        if (c == "{") {
            k = header_kind(head)
            kind[++depth] = k
        } else if (c == "}" && depth > 0)
            depth--
        if (c ~ /[{};]/) {
            head = ""
            flush_text()
        }
        blank = c == "\n" || (blank && c ~ /[ \t]/)
        i++
    }
    flush_text()
}
