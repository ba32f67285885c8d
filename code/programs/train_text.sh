#!/bin/sh
# Tangled from chapters/workshop/programs.nw, "make train".  Edit it there.

# train_text.sh BIN OUT: train a small GPT-2 on a text and let it write.
# TEXT, VOCAB: another text, a ready vocabulary.  ON: the machine, cpu or
# cuda (or simt).  SIZE: options of the model and of the run.
set -eu
bin=$1 out=$2
TEXT=${TEXT:-} VOCAB=${VOCAB:-} ON=${ON:-cpu}
train=$bin/train-$ON generate=$bin/generate-$ON
if [ "$ON" = cpu ]; then
    train=$bin/train generate=$bin/generate
fi
SIZE=${SIZE:---layers 4 --heads 4 --channels 256 --batch 8 --seq 128 \
    --steps 1000 --lr 2e-3 --warmup 50 --schedule cosine}
mkdir -p "$out"

say() { printf '\n== %s\n' "$*"; }

# The text, and whether it is the one that a run in $out has seen.
if [ -n "$TEXT" ]; then
    cat -- "$TEXT" > "$out/text.new"
else
    for f in chapters/*.nw chapters/*/*.nw; do
        case $f in */text-tables.nw) ;; *) cat "$f" ;; esac
    done > "$out/text.new"
fi
printf '%s\n' "$SIZE" "$VOCAB" "$ON" > "$out/size.new"
if [ -d "$out/run" ] && ! { cmp -s "$out/text.new" "$out/text" &&
                            cmp -s "$out/size.new" "$out/size"; }; then
    say "the text or the settings have changed since the last run: that" \
        "run is now in $out/run.old, and a new one begins"
    rm -rf "$out/run.old"
    mv "$out/run" "$out/run.old"
fi
mv "$out/text.new" "$out/text"
mv "$out/size.new" "$out/size"

if [ ! -d "$out/run" ]; then
    awk -v out="$out" '{
        print > (out "/" (int(NR / 100) % 10 == 7 ? "val" : "train") ".txt")
    }' "$out/text"
    vocab=$VOCAB
    if [ -z "$vocab" ]; then
        say "learning a vocabulary of 1024 tokens from" \
            "$(wc -c < "$out/train.txt") bytes"
        vocab=$out/vocab
        "$bin/tokenize" train --vocab-size 1024 --out "$vocab" \
            "$out/train.txt"
    fi
    for part in train val; do
        "$bin/tokenize" encode --vocab "$vocab" --out "$out/$part.bin" \
            "$out/$part.txt"
    done
    rm -f "$out/loss.csv"
    say "training; Ctrl-C stops and keeps what is there," \
        "'make train' goes on"
    # shellcheck disable=SC2086
    "$train" $SIZE --data "$out/train.bin" --val "$out/val.bin" \
        --vocab "$vocab" --val-every 100 --save-every 100 \
        --sample-every 300 --sample-tokens 60 --keep 2 --out "$out/run" \
        --log "$out/loss.csv"
else
    vocab=${VOCAB:-$out/vocab}
    say "going on with the run in $out/run"
    if [ -n "$(ls -d "$out"/run/step-* 2> /dev/null)" ]; then
        "$train" --resume --out "$out/run" --log "$out/loss.csv"
    else
        rm -rf "$out/run"
        exec sh "$0" "$@"
    fi
fi

newest=
for f in "$out"/run/step-*; do newest=$f; done
say "what it writes after $newest"
"$generate" --init "$newest/model.safetensors" --vocab "$vocab" \
    --prompt "We measure the" --tokens 150 --temperature 0.7 --top-p 0.9
say "what to try next"
cat <<END
another paragraph:
  $generate --init $newest/model.safetensors \\
    --vocab $vocab --prompt "A loop" --tokens 200 --seed 2
a longer run (cosine with a new end):
  $train --resume --out $out/run --log $out/loss.csv --steps 3000
the curve, as step,loss,val_loss,norm,lr,tokens_per_s: $out/loss.csv
Shakespeare, as it comes or in the tokens of GPT-2:
  make data-tinyshakespeare data-gpt2
  make train TEXT=data/tinyshakespeare.txt
  make train TEXT=data/tinyshakespeare.txt VOCAB=data/gpt2
the same from nothing: rm -r $out && make train
END
