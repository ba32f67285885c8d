# Moving Bytes.  make setup book train   reads and trains;   make setup test   proves.
# `make help` lists the targets.  Variables: CC, DATA (real data sets), LINES=1
# (compiler messages point into the chapters), SM (GPU architecture), WERROR=1
# (warnings are errors).  The rules are in mk/:
#
#   cc.mk     the library and the programs, for this processor
#   simt.mk   the software GPU, and CUDA sources for it
#   cuda.mk   the same sources for a real GPU
#   tests.mk  what the tests need, and how they are run
#   book.mk   the pages, the PDF, the EPUB, the proof reader
#   bench.mk  training, measuring, data
#   setup.mk  packages
CC      ?= cc
DATA    ?= data
B       := build
MAKEFLAGS += --no-builtin-rules
, := ,
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

CHAPTERS := $(sort $(shell find chapters -name '*.nw'))

# With LINES=1 the compiler reads a second tree, whose #line directives make
# its messages, the debugger and the profiler point into the chapters.
CODE := code
ifeq ($(LINES),1)
CODE := build/lined/code
B    := build/lined
$(shell code/weave/tangle --lines)
ifneq ($(.SHELLSTATUS),0)
$(error make LINES=1: the chapters do not tangle)
endif
endif

.PHONY: help clean tangle
help:
	@echo "$$HELP"

include mk/cc.mk mk/simt.mk mk/cuda.mk mk/tests.mk mk/book.mk mk/bench.mk mk/setup.mk
-include $(shell find $(B) -name '*.d' 2>/dev/null)

tangle:
	@code/weave/tangle
clean:
	rm -rf build

define HELP
setup      install what is missing (Debian, Ubuntu), and say what for
tangle     chapters -> code/
test       build everything and test it; the last line counts
test-code  the same without the book, for those who change code only
book       chapters -> build/book/html/index.html
pdf        chapters -> moving-bytes.pdf and -workshop.pdf in build/book (make setup-pdf first)
epub       chapters -> moving-bytes.epub and -workshop.epub in build/book
single     chapters of volume 1 -> build/book/moving-bytes.html, one file
exercise   grade your kernel: NAME=throughput-machine/add; without NAME the course
install    simtcc and grade, for other folders (PREFIX=/usr/local); uninstall
train      train a small GPT-2 on the text of this book (ON=cpu, ON=cuda: there)
bench      measure this CPU against its own ceilings
bench-gpu  the same for this GPU; with GPUS=N, training on N of this host
numbers    promote what bench measured to figures/data
test-gpu   the CUDA sources on a real GPU against the CPU
sanitize   the same under compute-sanitizer
lint       proof-read the chapters
help       this list
clean      remove build/
endef
export HELP
.DEFAULT_GOAL := programs
