# The operators of GPT-2 as points: FLOP/B, TFLOP/s, direction, label, and
# the label's place.
#   awk -v set=float|bf16|cpu -f roofline-points.awk roofline-operators.csv \
#       FILES WITH TIMES...
# A time is a row whose name is in one of the tables below; rows that are
# not there yet give no point.
# right, up: the label's place, as factors; without them, below the point.
# A prime in the text, or back, is the backward pass.
function label(row, op, text, right, up, back) {
    backward[row] = back || text ~ /′$/ || text ~ /′ mma/
    named[row] = op
    text_of[row] = text
    x[row] = right ? right : 1
    y[row] = up ? up : 0.66
}
function products(op, range) {
    label(range, "bf16." op ".y", "")
    label(range " dx", "bf16." op ".dx", "", 1, 1, 1)
    label(range " dw", "bf16." op ".dw", "", 1, 1, 1)
}
BEGIN {
    FS = ","
    if (set == "float") {
        label("gpu.embedding-fwd", "embedding-fwd", "emb", 1.4, 0.8)
        label("gpu.embedding-bwd", "embedding-bwd", "emb′", 1, 1.6)
        label("gpu.layernorm-fwd", "layernorm-fwd", "LN", 0.8, 1.5)
        label("gpu.layernorm-bwd", "layernorm-bwd", "LN′")
        label("gpu.residual", "residual", "res")
        label("gpu.gelu-fwd", "gelu-fwd", "GELU", 1.6, 0.92)
        label("gpu.gelu-bwd", "gelu-bwd", "GELU′", 0.7, 0.6)
        label("gpu.attention-fwd", "attention-fwd", "att", 0.8, 1.5)
        label("gpu.attention-bwd", "attention-bwd", "att′")
        label("gpu.linear-fwd", "fc.y", "fc", 1, 1.55)
        label("gpu.linear-dx", "fc.dx", "")
        label("gpu.linear-dw", "fc.dw", "fc′")
        label("gpu.crossentropy-fwd", "crossentropy-fwd", "loss", 1, 1.5)
        label("gpu.crossentropy-bwd", "crossentropy-bwd", "loss′", 1.5, 0.6)
        label("gpu.adamw", "adamw", "AdamW", 0.62, 1.4)
        label("gpu.sum-squares", "sum-squares", "norm", 1.2, 0.66)
    } else if (set == "bf16") {
        label("fused.embedding-fwd.us", "bf16.embedding-fwd", "emb", 1.4, 0.62)
        label("fused.embedding-bwd.us", "bf16.embedding-bwd", "emb′", 1.35, 0.5)
        label("fused.layernorm-fwd.us", "bf16.layernorm-fwd", "LN", 1.35, 0.9)
        label("fused.residual-layernorm.us", "bf16.residual-layernorm-fwd",
              "res+LN", 1.0, 0.6)
        label("fused.layernorm-bwd.us", "bf16.layernorm-bwd", "LN′", 0.68, 1.25)
        label("fused.gelu-fwd.us", "bf16.gelu-fwd", "GELU", 1.8, 0.55)
        label("fused.gelu-bwd.us", "bf16.gelu-bwd", "GELU′", 1.6, 1.0)
        label("fused.classifier.us", "bf16.classifier", "loss+loss′", 2.3,
              0.85)
        label("fused.adamw.us", "bf16.adamw-all", "AdamW / norm", 2.3, 0.7)
        label("fused.norm.us", "bf16.sum-squares", "")
        label("attention.mma.fwd.us", "bf16.flash-fwd", "att mma",
              0.4, 0.9)
        label("attention.mma.bwd.us", "bf16.flash-bwd", "att′ mma",
              0.9, 0.62)
        label("hopper.fwd.final", "bf16.flash-fwd", "att", 0.7, 1.05)
        label("h200.bwd.final.us", "bf16.flash-bwd", "att′", 1.45, 0.95)
        # ranges of gpu-profile.txt: a training step as it runs
        products("qkv", "qkv")
        products("att", "proj")
        products("fc", "fc")
        products("proj", "mlp")
        products("head", "logits")
    } else if (set == "cpu") {
        label("host.ops.embedding.fwd", "cpu.embedding-fwd", "emb")
        label("host.ops.layernorm.fwd", "cpu.layernorm-fwd", "LN", 1.2, 0.72)
        label("host.ops.layernorm.bwd", "cpu.layernorm-bwd", "LN′", 0.75, 1.25)
        label("host.ops.residual", "cpu.residual", "res", 1, 1.5)
        label("host.ops.gelu.fwd", "cpu.gelu-fwd", "GELU", 1.1, 1.45)
        label("host.ops.gelu.bwd", "cpu.gelu-bwd", "GELU′", 0.8, 0.66)
        label("host.ops.attention.fwd", "cpu.attention-fwd", "att", 0.85, 0.66)
        label("host.ops.attention.bwd", "cpu.attention-bwd", "att′", 1.3, 0.66)
        label("host.ops.loss.fwd", "cpu.crossentropy-fwd", "loss", 1.2, 1.45)
        label("host.ops.loss.bwd", "cpu.crossentropy-bwd", "loss′", 1.5, 0.72)
        label("host.matmul.fc.y.ms", "cpu.fc.y", "fc", 1.25, 1.0)
        label("host.matmul.fc.dw.ms", "cpu.fc.dw", "fc′", 0.62, 0.97)
        label("host.matmul.head.y.ms", "cpu.head.y", "head", 1.1, 0.7)
        label("host.matmul.att.y.ms", "cpu.att.y", "")
    }
}
/^op\./ {
    n = match($1, /\.[a-z]*$/)
    op = substr($1, 4, n - 4)
    v[op, substr($1, n + 1)] = $2
    next
}
# What was timed may be a part of the operator: then the row .bytes says so.
$1 ~ /^gpu\.(crossentropy.*|adamw|sum-squares)\.bytes$/ {
    part[substr($1, 1, length($1) - 6)] = $2
}
FILENAME ~ /gpu-profile/ {
    split($0, field, "  +")
    if (field[1] in named) {
        time[field[1]] = field[4]
        unit[field[1]] = "us"
    }
    next
}
($1 in named) && /,(us|ms),/ { time[$1] = $2; unit[$1] = $3 }
END {
    for (row in time) {
        op = named[row]
        flop = v[op, "flop"]
        if (row in part)
            flop *= part[row] / v[op, "bytes"]
        # bench-ops times the calls of a whole step together
        if (row ~ /^host\.ops\./)
            flop *= v[op, "calls"]
        s = time[row] * (unit[row] == "us" ? 1e-6 : 1e-3)
        if (flop > 0)
            printf "%.5g,%.5g,%d,%s,%.5g,%.5g\n", v[op, "intensity"],
                   flop / s / 1e3, backward[row], text_of[row],
                   v[op, "intensity"] * x[row], flop / s / 1e3 * y[row]
    }
}
