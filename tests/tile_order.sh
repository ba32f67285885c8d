#!/bin/bash
# Chapter 12b: how evenly 132 blocks share the tiles of one layer of attention
# (768 heads of 1,024 queries, tiles of 128), if they are dealt out in turn
# and if every block takes the next one when it is done.  The rows of
# figures/data/tile-order.csv must say the same (UPDATE_FACTS=DATE writes
# them).
. tests/lib/run.sh
for together in 16 32 48 64 96 128 192 256; do
    awk -v heads=768 -v n=8 -v blocks=132 -v together=$together 'BEGIN {
        for (first = 0; first < heads; first += together)
            for (tile = n; tile > 0; tile--)
                for (h = 0; h < together; h++) {
                    cost = tile + 0.7       # steps, and what comes once
                    turn[i++ % blocks] += cost
                    least = 0
                    for (b = 1; b < blocks; b++)
                        if (next_[b] + 0 < next_[least] + 0) least = b
                    next_[least] += cost
                    sum += cost
                }
        for (b = 0; b < blocks; b++) {
            if (turn[b] > worst) worst = turn[b]
            if (next_[b] > last) last = next_[b]
        }
        print 100 * (worst * blocks / sum - 1), \
              100 * (last * blocks / sum - 1)
    }'
done | awk '
    NR == 1 || $1 < low { low = $1 }
    $1 > high { high = $1 }
    $2 > most { most = $2 }
    END {
        printf "tiles.turn.least,%.2g,%%\ntiles.turn.most,%.2g,%%\n", low, high
        printf "tiles.counter.most,%.2g,%%\n", most
    }' > "$dir/found"
facts_are figures/data/tile-order.csv "$dir/found"
finish
