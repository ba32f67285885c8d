# Compare what the software GPU counts with what ncu counted.
#
#     awk -v show=WHAT -f counts.awk EXPLAINED MACHINE.csv NCU.csv
#
# EXPLAINED   KERNEL METRIC OURS NCU REASON, and "= REASON text" lines
# MACHINE     kernel,launch,metric,value, of SIMT_REPORT=csv
# NCU         kernel,metric,value, of count_ncu.sh; 0 is left out
#
# show = check    what is wrong, a line each: a difference nobody explains, an
#                 explanation nobody needs, a kernel that one side lacks
#        table    a row for each kernel       families   one for each family
#        facts    name,value: how many of what, and what ncu counted for
#                 `picks`, KERNEL.METRIC ...
#        differ   EXPLAINED lines for what differs, to be given reasons
BEGIN {
    FS = ","
    # what ncu calls it, and the sum of ours that must equal it
    map("ld_req",     "gld_req async_ca_req async_cg_req")
    map("st_req",     "gst_req")
    map("atom_req",   "gatom_req")
    map("red_req",    "gred_req")
    map("ca_req",     "async_ca_req")
    map("lld_req",    "lld_req")
    map("lst_req",    "lst_req")
    map("ld_sec",     "gld_sec async_ca_sec async_cg_sec")
    map("st_sec",     "gst_sec")
    map("atom_sec",   "gatom_sec")
    map("red_sec",    "gred_sec")
    map("ca_sec",     "async_ca_sec")
    map("lld_sec",    "lld_sec")
    map("lst_sec",    "lst_sec")
    map("sld_inst",   "sld_req")
    map("sst_inst",   "sst_req")
    map("satom_inst", "satom_req")
    map("ldsm_inst",  "ldsm_req")
    map("stsm_inst",  "stsm_req")
    map("sld_wave",   "sld_wave ldsm_wave")
    map("sst_wave",   "sst_wave stsm_wave")
    map("satom_wave", "satom_wave")
    map("sld_conf",   "sld_conf ldsm_conf")
    map("sst_conf",   "sst_conf stsm_conf")
    map("satom_conf", "satom_conf")
    map("const_turns", "const_wave -const_req")
    map("lanes_mem",  "thread_mem")
    map("fadd",       "fadd")
    map("fmul",       "fmul")
    map("ffma",       "ffma")
    map("tensor_flop", "tensor_flop")
    map("smem",       "smem_static")
}
function map(theirs, ours) { order[++maps] = theirs; sum[theirs] = ours }

FILENAME == ARGV[1] {
    split($0, word, " +")
    if (word[1] == "=") {
        reason[word[2]] = $0
        sub(/^= +[^ ]+ +/, "", reason[word[2]])
    } else if ($0 !~ /^#/ && NF) {
        key = word[1] " " word[2]
        explained[key] = word[3] " " word[4]
        why[key] = word[5]
    }
    next
}
/^#/ || $1 == "kernel" { next }
FILENAME == ARGV[2] { mine[$1, $3] += $4; has_mine[$1] = 1; next }
{
    if (!($1 in has)) { has[$1] = 1; kernel[++kernels] = $1 }
    ncu[$1, $2] = $3
}

function ours(k, m,    part, n, i, total) {
    n = split(sum[m], part, " ")
    for (i = 1; i <= n; i++)
        if (part[i] ~ /^-/) total -= mine[k, substr(part[i], 2)]
        else total += mine[k, part[i]]
    return total + 0
}
# Two of theirs are less what every kernel has besides: a load of constant
# memory by all lanes for each of its arguments.
function theirs(k, m) {
    if (m == "const_turns")
        return ncu[k, "const_wave"] - ncu[k, "const_inst"]
    if (m == "lanes_mem")
        return ncu[k, "thread_mem"] \
               - 32 * (ncu[k, "const_inst"] - mine[k, "const_req"])
    if (m == "tensor_flop")
        return ncu[k, "flop_bf16"] + ncu[k, "flop_f16"] + ncu[k, "flop_tf32"]
    return ncu[k, m] + 0
}
# Which lanes load an argument, nobody says, unless all lanes do everything.
function full(k) {
    return ncu[k, "thread"] == 32 * ncu[k, "inst"] \
           && ncu[k, "thread_on"] == ncu[k, "thread"]
}
function compare(k, m,    u, v, key) {
    if (m == "lanes_mem" && !full(k))
        return
    u = ours(k, m)
    v = theirs(k, m)
    key = k " " m
    if (u == v && u == 0)
        return
    compared++
    of[m, "compared"]++
    in_family[family(k), "values"]++
    if (u == v) {
        equal++
        of[m, "equal"]++
        if (key in explained)
            complain("explained, but equal: " key " " u)
        return
    }
    in_family[family(k), "differ"]++
    if (show == "differ")
        print key, u, v, (key in why) ? why[key] : "?"
    if (!(key in explained))
        complain("differs: " key " " u ", ncu " v)
    else if (explained[key] != u " " v)
        complain("differs as " u " " v ", explained as " explained[key] \
                 ": " key)
    else if (!(why[key] in reason))
        complain("no reason '" why[key] "' is given for: " key)
    else {
        used[why[key]] = 1
        because[k] = because[k] (index(because[k], why[key]) ? "" \
                                 : " " why[key])
    }
    seen[key] = 1
}
function complain(text) { if (show == "check") print text; problems++ }
function family(k) { sub(/_.*/, "", k); return k }

# "12", or "12 (ncu 14)", for the sum of some metrics
function cell(k, metrics,    part, n, i, u, v) {
    n = split(metrics, part, " ")
    for (i = 1; i <= n; i++) {
        u += ours(k, part[i])
        v += theirs(k, part[i])
    }
    if (u == v)
        return u == 0 ? "-" : u
    return u "/" v
}

END {
    for (i = 1; i <= kernels; i++) {
        k = kernel[i]
        if (!(k in has_mine))
            complain("not run by the software GPU: " k)
        else
            for (j = 1; j <= maps; j++)
                compare(k, order[j])
        f = family(k)
        if (!((f, "kernels") in in_family))
            families[++n_families] = f
        in_family[f, "kernels"]++
    }
    for (key in explained)
        if (!(key in seen) && explained[key] != "")
            complain("explained, but it does not differ: " key)
    for (k in has_mine)
        if (!(k in has))
            complain("not counted by ncu: " k)
    for (r in reason)
        if (!(r in used))
            complain("a reason that nothing needs: " r)
    if (show == "table")
        table()
    if (show == "families")
        family_table()
    if (show == "facts")
        facts()
    exit show == "check" && problems > 0
}

function fact(name, value) {        # the book's names have no _
    gsub(/_/, ".", name)
    print name "," value + 0
}
function facts() {
    fact("counts.kernels", kernels)
    fact("counts.compared", compared)
    fact("counts.equal", equal)
    fact("counts.differ", compared - equal)
    for (i = 1; i <= maps; i++) {
        fact("counts." order[i] ".compared", of[order[i], "compared"])
        fact("counts." order[i] ".equal", of[order[i], "equal"])
    }
    n = split(picks, pick, " +")
    for (i = 1; i <= n; i++) {
        split(pick[i], part, ".")
        fact("ncu." pick[i], ncu[part[1], part[2]])
        if (part[2] in sum)
            fact("simt." pick[i], ours(part[1], part[2]))
    }
}

function table() {
    form = "%-18s %8s %8s %10s %9s %7s  %s\n"
    printf form, "kernel", "requests", "sectors", "wavefronts", "conflicts",
        "FLOP", ""
    for (i = 1; i <= kernels; i++) {
        k = kernel[i]
        line = sprintf(form, k,
            cell(k, "ld_req st_req atom_req red_req lld_req lst_req " \
                 "sld_inst sst_inst satom_inst ldsm_inst stsm_inst"),
            cell(k, "ld_sec st_sec atom_sec red_sec lld_sec lst_sec"),
            cell(k, "sld_wave sst_wave satom_wave"),
            cell(k, "sld_conf sst_conf satom_conf"),
            cell(k, "fadd fmul ffma ffma tensor_flop"), because[k])
        sub(/ +\n$/, "\n", line)
        printf "%s", line
    }
}

function family_table() {
    form = "%-28s %8s %8s %8s %8s\n"
    printf form, "family", "kernels", "values", "equal", "differ"
    for (i = 1; i <= n_families; i++) {
        f = families[i]
        printf form, title(f), in_family[f, "kernels"],
            in_family[f, "values"],
            in_family[f, "values"] - in_family[f, "differ"],
            in_family[f, "differ"] ? in_family[f, "differ"] : "-"
    }
    printf form, "all", kernels, compared, equal, compared - equal
}
function title(f) {
    if (!("ld" in titles)) {
        n = split("ld:global loads|st:global stores|struct:structs|" \
            "part:part of a warp|sh:shared loads|sw:shared stores|" \
            "lm:ldmatrix|sm:stmatrix|red:global atomics, no result|" \
            "atom:global atomics, result|sa:shared atomics|ca:cp.async.ca|" \
            "cg:cp.async.cg|lo:local memory|co:constant memory|" \
            "ge:generic addresses|di:divergence|sf:shuffles|" \
            "re:reductions|tr:transposes|mm:matrix products|" \
            "ar:arithmetic|dc:where compilers differ", pair, "|")
        for (j = 1; j <= n; j++) {
            split(pair[j], word, ":")
            titles[word[1]] = word[2]
        }
    }
    return f in titles ? titles[f] : f
}
