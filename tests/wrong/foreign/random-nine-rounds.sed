# program: random
# row: Philox's known words
# file: simt_philox.h
s/round < 10/round < 9/
