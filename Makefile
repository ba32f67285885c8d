# Moving Bytes.  make setup book train   reads and trains;   make setup test   proves.
# `make help` lists the targets.  Variables: CC, DATA (real data sets), LINES=1
# (compiler messages point into the chapters), SM (GPU architecture).

CC      ?= cc
DATA    ?= data
SM      ?= $(eval SM := $(or $(CARD_SM),90))$(SM)
B       := build
MAKEFLAGS += --no-builtin-rules
, := ,
.DELETE_ON_ERROR:
.SUFFIXES:

CHAPTERS := $(wildcard chapters/*.nw)

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

# ---- building the program --------------------------------------------------
# One library from every room; one object tree per flavour:
#   opt    float, optimised           asan   float, address and UB sanitizers
#   f64    double, optimised          (real is double: gradient checks)
WARN    := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CFLAGS  ?= -O3 -g
COMMON  := -std=c17 -D_GNU_SOURCE -I$(CODE) $(WARN) -fopenmp -MMD -MP
FLAGS.opt  := $(CFLAGS) -fno-math-errno -fno-trapping-math -ffp-contract=fast
FLAGS.f64  := $(CFLAGS) -DREAL_IS_DOUBLE
FLAGS.asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
              -fno-omit-frame-pointer
# The thousands of small functions that execute instructions: under the
# sanitizers most of a compiler's time, for nothing that is waited for.
$(B)/asan/$(CODE)/simt/execute_%.o: FLAGS.asan += -O0
LDLIBS  := -lm -lpthread
# cmocka, where it is; without it tests/rows.h has what its rows need.
TEST_LIBS := $(if $(wildcard /usr/include/cmocka.h /usr/local/include/cmocka.h),-lcmocka)

# The software GPU gives the same bits on every processor: no product and sum
# become one where that is cheap.
$(foreach f,opt f64 asan,$(B)/$(f)/$(CODE)/simt/%.o): ROOM := -ffp-contract=off

SOURCES := $(foreach r,base simt ops gpt2 lab,$(wildcard $(CODE)/$(r)/*.c))
MAINS   := $(filter $(CODE)/gpt2/main_% $(CODE)/lab/main_%,$(SOURCES))
PARTS   := $(filter-out $(MAINS),$(SOURCES))
# What has a `real` in it, for f64; all of it for the others.
PARTS.opt  := $(PARTS)
PARTS.asan := $(PARTS)
PARTS.f64  := $(filter-out $(CODE)/simt/% $(CODE)/lab/%,$(PARTS))
name_of  = $(subst _,-,$(patsubst main_%,%,$(basename $(notdir $(1)))))
PROGRAMS := $(foreach m,$(MAINS),$(B)/bin/$(call name_of,$(m)))

.PHONY: programs
programs: $(PROGRAMS) $(B)/bin/simtcc

define FLAVOUR
$(B)/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$(CC) $$(COMMON) $$(FLAGS.$(1)) $$(ROOM) -c $$< -o $$@
$(B)/libmb-$(1).a: $(PARTS.$(1):%.c=$(B)/$(1)/%.o)
	@rm -f $$@; ar rcs $$@ $$^
$(B)/tests-$(1)/%: $(B)/$(1)/tests/%.o $(B)/libmb-$(1).a
	@mkdir -p $$(@D)
	$$(CC) -fopenmp $$(FLAGS.$(1)) $$^ $$(TEST_LIBS) $$(LDLIBS) -o $$@
endef
$(foreach f,opt f64 asan,$(eval $(call FLAVOUR,$(f))))

define PROGRAM
$(B)/bin/$(call name_of,$(1)): $(B)/opt/$(1:.c=.o) $(B)/libmb-opt.a
	@mkdir -p $$(@D)
	$$(CC) -fopenmp $$(FLAGS.opt) $$^ $$(LDLIBS) -o $$@
$(B)/bin-asan/$(call name_of,$(1)): $(B)/asan/$(1:.c=.o) $(B)/libmb-asan.a
	@mkdir -p $$(@D)
	$$(CC) -fopenmp $$(FLAGS.asan) $$^ $$(LDLIBS) -o $$@
endef
$(foreach m,$(MAINS),$(eval $(call PROGRAM,$(m))))
ASAN_PROGRAMS := $(PROGRAMS:$(B)/bin/%=$(B)/bin-asan/%)

# ---- the software GPU ------------------------------------------------------
# build/bin/simtcc, build/include and build/lib belong together and may be
# moved: the script finds the others beside it.  In the library only CUDA's
# names are visible, so that a reader's program may call a function `fail`.
SIMTCC  := $(B)/bin/simtcc
SIMT_LIB_OBJECTS := $(patsubst %.c,$(B)/opt/%.o,\
             $(wildcard $(CODE)/base/*.c $(CODE)/simt/*.c))
SIMT_HEADERS := $(patsubst $(CODE)/simt/include/%,$(B)/include/%,\
             $(wildcard $(CODE)/simt/include/*.h $(CODE)/simt/include/*/*.h))

$(B)/lib/libsimt.a: $(SIMT_LIB_OBJECTS)
	@mkdir -p $(@D); rm -f $@
	ld -r -o $(@:.a=.o) $^
	objcopy --wildcard -G 'cuda*' -G '__cuda*' -G 'simt_*' $(@:.a=.o)
	@ar rcs $@ $(@:.a=.o); rm -f $(@:.a=.o)
$(B)/include/%.h: $(CODE)/simt/include/%.h
	@mkdir -p $(@D); cp $< $@
$(SIMTCC): $(CODE)/simt/simtcc $(B)/lib/libsimt.a $(SIMT_HEADERS)
	@mkdir -p $(@D); cp $< $@

# Any .cu file of the book, for the software GPU.
$(B)/simt/%.o: %.cu $(SIMTCC)
	@mkdir -p $(@D)
	$(SIMTCC) $(SIMTFLAGS) -I$(CODE) -Wall -Wextra -Werror -MMD -MP -MT $@ -MF $(@:.o=.d) \
	  -c $< -o $@

.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ---- the same programs on a GPU --------------------------------------------
# NAME-simt for the software GPU (clang), NAME-cuda for a real one (nvcc).  The
# operators' .cu stand before the library; the .c of the same functions in it
# are then not taken.  Both compilers round every product and sum of theirs
# alone, so that the two machines compute the same bits.
#
# What needs cuBLASLt (NAME_lt.cu) or Hopper's own instructions
# (NAME_hopper.cu) is for nvcc alone; the same functions for any GPU are in
# the other files.
CU       := $(wildcard $(CODE)/ops/*.cu $(CODE)/gpt2/*.cu) $(CODE)/lab/machine_peak.cu
CU_SIMT  := $(filter-out %_lt.cu %_hopper.cu,$(CU))
CU_HEADS := $(wildcard $(CODE)/ops/*.h $(CODE)/base/*.h $(CODE)/gpt2/*.h $(CODE)/lab/*.h)
ON_GPU   := $(CODE)/gpt2/main_train $(CODE)/gpt2/main_eval \
            $(CODE)/gpt2/main_generate $(CODE)/lab/main_bench_machine \
            $(CODE)/lab/main_bench_step
NVCC     ?= nvcc
# What the card in this machine says it is, 9.0 or 12.0, asked when needed.
CARD_SM   = $(subst .,,$(shell nvidia-smi --query-gpu=compute_cap \
              --format=csv$(,)noheader 2>/dev/null | sed -n 1p))
# wgmma and setmaxnreg exist for sm_90a only, which is no plain -arch.
NVARCH    = $(if $(filter 90,$(SM)),-gencode=arch=compute_90a$(,)code=sm_90a,-arch=sm_$(SM))
NVFLAGS   = -O3 -std=c++17 $(NVARCH) -lineinfo -I$(CODE) \
            -Xcompiler -Wall,-Wextra,-fopenmp
NVLIBS   := -lcublasLt

$(B)/cuda/%.o: %.cu $(CU_HEADS)
	@mkdir -p $(@D)
	$(NVCC) $(NVFLAGS) $(FMAD) -c $< -o $@
# The library without the software GPU, whose runtime has CUDA's names.
$(B)/libmb-host.a: $(patsubst %.c,$(B)/opt/%.o,$(filter-out $(CODE)/simt/%,$(PARTS)))
	@rm -f $@; ar rcs $@ $^

CUDA_OBJECTS := $(CU:%.cu=$(B)/cuda/%.o)
SIMT_OBJECTS := $(CU_SIMT:%.cu=$(B)/simt/%.o)
$(CUDA_OBJECTS): FMAD = --fmad=false
$(SIMT_OBJECTS): SIMTFLAGS = -ffp-contract=off
define GPU_PROGRAM
$(B)/bin/$(call name_of,$(1))-cuda: $(B)/opt/$(1).o $(CUDA_OBJECTS) \
                                    $(B)/libmb-host.a
	@mkdir -p $$(@D)
	$(NVCC) $(NVARCH) -Xcompiler -fopenmp $$^ $(NVLIBS) $(LDLIBS) -o $$@
$(B)/bin/$(call name_of,$(1))-simt: $(B)/opt/$(1).o $(SIMT_OBJECTS) \
                                    $(B)/libmb-host.a $(B)/lib/libsimt.a
	@mkdir -p $$(@D)
	$(CC) -fopenmp $(FLAGS.opt) $$^ $(LDLIBS) -lstdc++ -o $$@
endef
$(foreach m,$(ON_GPU),$(eval $(call GPU_PROGRAM,$(m))))
$(B)/tests-cuda/%: $(B)/opt/tests/%.o $(CUDA_OBJECTS) $(B)/libmb-host.a
	@mkdir -p $(@D)
	$(NVCC) $(NVARCH) -Xcompiler -fopenmp $^ $(NVLIBS) $(TEST_LIBS) $(LDLIBS) -o $@
$(B)/tests-simt/%: $(B)/opt/tests/%.o $(SIMT_OBJECTS) $(B)/libmb-host.a \
                   $(B)/lib/libsimt.a
	@mkdir -p $(@D)
	$(CC) -fopenmp $(FLAGS.opt) $^ $(TEST_LIBS) $(LDLIBS) -lstdc++ -o $@

# The lab's programs for a real GPU, code/lab/main_NAME.cu, each with the
# kernels that are measured.
MEASURED  := $(wildcard $(CODE)/ladder/*.cu) $(CODE)/lab/access.cu
LAB_MAINS := $(wildcard $(CODE)/lab/main_*.cu)
# These measure the operators of the model.
WITH_OPS  := %/main_fused.cu %/main_products.cu %/main_attention.cu
define LAB_PROGRAM
$(B)/bin/$(call name_of,$(1:.cu=))-cuda: $(patsubst %.cu,$(B)/cuda/%.o,$(1) $(MEASURED)) \
                                    $(if $(filter $(WITH_OPS),$(1)),$(CUDA_OBJECTS)) \
                                    $(B)/libmb-host.a
	@mkdir -p $$(@D)
	$(NVCC) $(NVARCH) -Xcompiler -fopenmp $$^ $(NVLIBS) $(LDLIBS) -o $$@
endef
$(foreach m,$(LAB_MAINS),$(eval $(call LAB_PROGRAM,$(m))))

GPU_NAMES    := $(foreach m,$(ON_GPU),$(call name_of,$(m)))
CUDA_PROGRAMS := $(GPU_NAMES:%=$(B)/bin/%-cuda)
SIMT_PROGRAMS := $(GPU_NAMES:%=$(B)/bin/%-simt)

# The lab's programs that make sense without a clock, on the software GPU too.
LAB_SIMT := vector_add device_query
define LAB_SIMT_PROGRAM
$(B)/bin/$(subst _,-,$(1))-simt: $(B)/simt/$(CODE)/lab/main_$(1).o $(B)/libmb-host.a \
                                 $(B)/lib/libsimt.a
	@mkdir -p $$(@D)
	$(CC) -fopenmp $(FLAGS.opt) $$^ $(LDLIBS) -lstdc++ -o $$@
endef
$(foreach m,$(LAB_SIMT),$(eval $(call LAB_SIMT_PROGRAM,$(m))))
LAB_SIMT_BINS := $(foreach m,$(LAB_SIMT),$(B)/bin/$(subst _,-,$(m))-simt)

# ---- fuzzers: tests/fuzz_NAME.c, with what they found in tests/data/corpus --
# Built by clang, run for FUZZ_S seconds each; a crash, a leak or undefined
# behaviour is a failed test.
FUZZ_S  ?= 10
FUZZERS := $(patsubst tests/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz_*.c))
FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
              -fno-sanitize-recover=all -Wno-pass-failed
# fuzz_ptx reads modules and fuzz_checkpoint models; neither runs one.
FUZZ_PARTS := $(filter-out $(CODE)/lab/%,$(PARTS))
$(patsubst %.c,$(B)/clang/%.o,$(filter $(CODE)/simt/execute_% \
  $(CODE)/ops/matmul_%,$(PARTS))): FUZZ_FLAGS := -O0 -fsanitize=address

$(B)/clang/%.o: %.c
	@mkdir -p $(@D)
	clang $(COMMON) $(FUZZ_FLAGS) -c $< -o $@
$(B)/libmb-clang.a: $(FUZZ_PARTS:%.c=$(B)/clang/%.o)
	@rm -f $@; ar rcs $@ $^
$(B)/fuzz/%: $(B)/clang/tests/%.o $(B)/libmb-clang.a
	@mkdir -p $(@D)
	clang -fopenmp -g -fsanitize=fuzzer,address,undefined $^ $(LDLIBS) -o $@

# ---- tests -----------------------------------------------------------------
TESTS     := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
TESTS64   := $(patsubst tests/%.c,%,$(wildcard tests/f64_*.c))
TEST_BINS := $(TESTS:%=$(B)/tests-opt/%) $(TESTS64:%=$(B)/tests-f64/%) \
             $(TESTS:%=$(B)/tests-asan/%)
# Every operator once more, and training, on the software GPU.  tests/fast_*.c
# are of operators that only a GPU, real or simulated, has.
FAST_TESTS := $(patsubst tests/%.c,%,$(wildcard tests/fast_*.c))
SIMT_TESTS := $(B)/tests-simt/test_ops $(FAST_TESTS:%=$(B)/tests-simt/%)
LOSSES     := $(foreach f,simt opt f64,$(B)/tests-$(f)/losses)

.PHONY: test test-programs check-quick wrong
test-programs: $(PROGRAMS) $(SIMTCC) $(ASAN_PROGRAMS) $(LAB_SIMT_BINS) \
      $(TEST_BINS) $(FUZZERS) $(SIMT_PROGRAMS) $(SIMT_TESTS) $(LOSSES) \
      $(B)/tests-simt/count_ops $(B)/tests-simt/count_fused
test: book test-programs
	@DATA=$(DATA) $(WRONG) FUZZ_S=$(FUZZ_S) tests/run $(TEST_BINS) \
	  $(SIMT_TESTS) $(sort $(wildcard tests/*.sh tests/*.mjs)) \
	  tests/wrong/run

# tests/wrong: every known mistake must be caught by the rows that say so.
WRONG = CC="$(CC)" B=$(B) FLAGS_OPT="$(COMMON) $(FLAGS.opt)" \
        FLAGS_F64="$(COMMON) $(FLAGS.f64)" LIBS="$(LDLIBS)" \
        SIMT_OBJECTS="$(SIMT_OBJECTS)"
wrong: $(TEST_BINS) $(SIMT_TESTS)
	@$(WRONG) tests/wrong/run $(NAME)

# What a commit must pass: everything compiles, the fast tests succeed.
check-quick: $(PROGRAMS) $(SIMTCC) $(TESTS:%=$(B)/tests-opt/%) $(TESTS64:%=$(B)/tests-f64/%)
	@DATA=$(DATA) tests/run $(TESTS:%=$(B)/tests-opt/%) $(TESTS64:%=$(B)/tests-f64/%) tests/provenance.sh

# On a machine with a GPU and nvcc; needs neither clang nor cmocka.
.PHONY: test-gpu sanitize needs-nvcc
needs-nvcc:
	@command -v $(NVCC) > /dev/null || { echo "no '$(NVCC)': the CUDA" \
	  "toolkit compiles these; name it with NVCC=..."; exit 1; }
GPU_ROWS  := $(B)/tests-cuda/test_ops $(FAST_TESTS:%=$(B)/tests-cuda/%)
GPU_TESTS := $(GPU_ROWS) $(B)/tests-cuda/losses
test-gpu: needs-nvcc $(CUDA_PROGRAMS) $(GPU_TESTS) $(B)/tests-f64/losses \
          $(B)/tests-opt/losses $(B)/bin/tokenize
	@B=$(B) MACHINE=cuda JOBS=1 tests/run $(GPU_ROWS) tests/machines.sh tests/kill.sh

# The same rows, and two steps of training, under each of NVIDIA's checkers.
# initcheck does not see what Hopper's bulk copies store, and calls every number
# unwritten that came that way: under it the model takes the mma.sync bodies.
# They measure no time: make -j8 sanitize has eight of them going.
SANITIZERS ?= racecheck memcheck initcheck synccheck
CHECKED := $(foreach t,$(SANITIZERS),$(addprefix sanitize/$(t)/,$(notdir $(GPU_TESTS))))
.PHONY: $(CHECKED)
sanitize: $(CHECKED)
$(CHECKED): sanitize/%: needs-nvcc $(GPU_TESTS)
	@log=$(B)/sanitize-$(*D)-$(*F).log start=$$(date +%s); \
	  env SANITIZING=1 $(if $(filter initcheck,$(*D)),PRODUCT_KERNEL=mma FLASH_KERNEL=mma) \
	  timeout 600 compute-sanitizer --tool $(*D) --error-exitcode 1 \
	  $(B)/tests-cuda/$(*F) $(if $(filter losses,$(*F)),tests/data/machines.txt \
	  $(B)/sanitize-$(*D).bin 2) > $$log 2>&1 || { cat $$log; exit 1; }; \
	  echo "$(*D) $(*F), $$(( $$(date +%s) - start )) s: $$(tail -1 $$log)"

# ---- the loom --------------------------------------------------------------
.PHONY: tangle book pages
tangle:
	@code/weave/tangle

# The loom is itself tangled, so it has to be up to date before make looks
# at the times of its files: hence the second make.  DRAFT=1 goes on where a
# chapter cites what is not written yet.
book: tangle
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j2) pages

HTML  := build/book/html
LOOM  := $(wildcard code/weave/*.lua) code/weave/weave
STYLE := $(addprefix $(HTML)/,book.css book.js)
SLUGS := $(basename $(notdir $(CHAPTERS))) \
         index chunks identifiers figures bibliography errata
PLOTS := $(patsubst %.gp,build/%.svg,$(wildcard figures/*.gp))

pages: $(SLUGS:%=$(HTML)/%.html) $(STYLE)
	@rm -f $(filter-out $^,$(wildcard $(HTML)/*.html))
	@echo "$(HTML)/index.html"

build/weave/stamp: $(CHAPTERS) book.yaml ERRATA.yaml $(LOOM) \
                   $(wildcard figures/* figures/data/*) chapters/references.bib
	@code/weave/weave
	@touch $@
$(SLUGS:%=build/weave/%.md) $(SLUGS:%=build/weave/%.lua) \
  build/weave/book.lua: build/weave/stamp ;
$(HTML)/%.html: build/weave/%.md build/weave/%.lua code/weave/page.template \
                code/weave/page $(addprefix code/weave/,filter.lua html.lua \
                after.lua lexer.lua data.lua) chapters/references.bib | $(PLOTS)
	@code/weave/page $*
$(HTML)/figures.html: build/weave/book.lua
$(STYLE): $(HTML)/%: code/weave/%
	@mkdir -p $(@D); cp $< $@
build/figures/%.svg: figures/%.gp code/weave/plot
	@code/weave/plot $< $@
-include $(wildcard build/weave/*.d build/figures/*.d)
# A figure that is gone: the page that named it is made again.
figures/%: ;

# ---- the press -------------------------------------------------------------
.PHONY: lint
lint:
	@lua5.4 code/weave/lint.lua

.PHONY: pdf pdf-pages
pdf: tangle
	@$(MAKE) --no-print-directory pdf-pages

PDF     := $(B)/pdf
TEX     := $(patsubst chapters/%.nw,$(PDF)/%.tex,$(CHAPTERS)) \
           $(PDF)/bibliography.tex
DRAWN   := $(patsubst %.svg,$(PDF)/%.pdf,$(wildcard figures/*.svg)) \
           $(patsubst build/%.svg,$(PDF)/%.pdf,$(PLOTS))

pdf-pages: $(B)/book/moving-bytes.pdf
	@echo "$<"

# page-tex runs pandoc on one chapter; press runs TeX until nothing moves.
$(PDF)/%.tex: build/weave/%.md build/weave/%.lua code/weave/page-tex \
              $(addprefix code/weave/,filter.lua latex.lua lexer.lua data.lua) \
              chapters/references.bib
	@code/weave/page-tex $*
define DRAW
	@mkdir -p $(@D)
	@rsvg-convert --format=pdf --stylesheet=code/weave/figure.css --output=$@.new $<
	@mv $@.new $@
endef
$(PDF)/figures/%.pdf: figures/%.svg code/weave/figure.css
	$(DRAW)
$(PDF)/figures/%.pdf: build/figures/%.svg code/weave/figure.css
	$(DRAW)
$(PDF)/book.tex: build/weave/stamp code/weave/book-tex.lua $(TEX)
	@lua5.4 code/weave/book-tex.lua build/weave/book.lua $(PDF)
$(B)/book/moving-bytes.pdf: $(PDF)/book.tex $(TEX) $(DRAWN) \
              $(addprefix code/weave/,press press.sty places.lua read-log.lua)
	@code/weave/press $(PDF)
	@mkdir -p $(@D); cp $(PDF)/book.pdf $@.new; mv $@.new $@

# ---- training ----------------------------------------------------------------
# make train: on the book's own text.  TEXT=FILE: on another one; VOCAB=DIR: in
# the tokens of a ready vocabulary.  On a GPU, if there is one and nvcc to
# compile for it; ON=cpu and ON=cuda choose.
TEXT  ?=
VOCAB ?=
ON    ?= $(eval ON := $(shell command -v $(NVCC) > /dev/null && \
           nvidia-smi -L 2> /dev/null | grep -q GPU && echo cuda || \
           echo cpu))$(ON)
TRAIN_OUT := $(B)/train/$(if $(TEXT),$(basename $(notdir $(TEXT))),book)$(if $(VOCAB),-$(notdir $(VOCAB)))
GPU_NAME = nvidia-smi --query-gpu=name --format=csv$(,)noheader | sed -n 1p

.PHONY: train
train:
	@case $(ON) in \
	cuda) echo "make train: on a GPU, $$($(GPU_NAME)), in bf16 (ON=cpu:" \
	        "on this machine's processor)" ;; \
	cpu)  echo "make train: on this machine's processor (ON=cuda: on an" \
	        "NVIDIA GPU, which needs nvcc)" ;; \
	*)    echo "make train: ON=$(ON) is no machine: cpu or cuda" >&2; \
	      exit 2 ;; esac
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc)) \
	  $(if $(filter cuda,$(ON)),needs-nvcc) $(B)/bin/tokenize \
	  $(foreach p,train generate,$(B)/bin/$(p)$(if $(filter cuda,$(ON)),-cuda))
	@TEXT="$(TEXT)" VOCAB="$(VOCAB)" ON=$(ON) \
	  sh code/gpt2/train_text.sh $(B)/bin $(TRAIN_OUT)

# make data-NAME: the only target that uses the network.

# ---- measuring -------------------------------------------------------------
# bench appends rows to build/bench/*.csv; numbers carries them over into
# figures/data, where a row replaces the older one of the same name.
.PHONY: bench numbers
bench: $(addprefix $(B)/bin/,bench-cpu bench-latency bench-roofs)
	@mkdir -p $(B)/bench
	COMMIT=$$(git rev-parse --short HEAD 2>/dev/null) \
	  $(B)/bin/bench-cpu --out $(B)/bench/matmul.csv
	COMMIT=$$(git rev-parse --short HEAD 2>/dev/null) \
	  $(B)/bin/bench-latency --out $(B)/bench/hierarchy-cpu.csv
	COMMIT=$$(git rev-parse --short HEAD 2>/dev/null) \
	  $(B)/bin/bench-roofs --out $(B)/bench/roofline-cpu.csv

# MACHINE: what the rows call this GPU; without it, what CUDA calls it.
MACHINE   ?=
LAB_BENCH := $(foreach p,bandwidth access transpose copies latency,$(B)/bin/$(p)-cuda)
FIRST_BENCH := $(foreach p,device-query throughput,$(B)/bin/$(p)-cuda)
# STEPS: whole steps of training to time, ours and PyTorch's (where it is) in
# turns: MODEL:BATCH:ROUNDS,...; without it the sizes that the book shows.
STEPS ?=
# These write to build/bench/NAME.csv.
ROOF_BENCH := ceilings matmul-sweep spmv attention fused products
.PHONY: bench-gpu
bench-gpu: needs-nvcc $(LAB_BENCH) $(FIRST_BENCH) $(B)/bin/launches-cuda \
           $(B)/bin/bench-step-cuda $(ROOF_BENCH:%=$(B)/bin/%-cuda)
	@mkdir -p $(B)/bench
	@set -e; for p in $(LAB_BENCH); do echo; echo "$${p##*/}"; \
	  COMMIT=$$(git rev-parse --short HEAD 2>/dev/null) \
	  $$p --machine "$(MACHINE)" --out $(B)/bench/hierarchy.csv; done
	@set -e; for p in $(FIRST_BENCH); do echo; echo "$${p##*/}"; \
	  COMMIT=$$(git rev-parse --short HEAD 2>/dev/null) \
	  $$p --machine "$(MACHINE)" --out $(B)/bench/throughput.csv; done
	@echo; COMMIT=$$(git rev-parse --short HEAD 2>/dev/null) \
	  $(B)/bin/launches-cuda --machine "$(MACHINE)" --out $(B)/bench/profiling.csv
	@command -v python3 > /dev/null || \
	  { echo "no python3: whole steps are not timed"; exit 0; }; echo; \
	  COMMIT=$$(git rev-parse --short HEAD 2>/dev/null) \
	  python3 tests/reference/bench_steps.py $(if $(STEPS),--sizes "$(STEPS)") \
	  --bin $(B)/bin --machine "$(MACHINE)" --out $(B)/bench
	@set -e; for p in $(ROOF_BENCH); do echo; echo "$$p"; \
	  COMMIT=$$(git rev-parse --short HEAD 2>/dev/null) $(B)/bin/$$p-cuda \
	  --machine "$(MACHINE)" --out $(B)/bench/$$p.csv; done

numbers:
	@ls $(B)/bench/*.csv >/dev/null 2>&1 || \
	  { echo "no numbers in $(B)/bench: run 'make bench' first"; exit 1; }
	@mkdir -p figures/data
	@set -e; for f in $(B)/bench/*.csv; do \
	  t=figures/data/$${f##*/}; touch $$t; \
	  awk -F, '$$1 == "name" { head = $$0; next } \
	    !($$1 in row) { order[++n] = $$1 } { row[$$1] = $$0 } \
	    END { print head; for (i = 1; i <= n; i++) print row[order[i]] }' \
	    $$t $$f > $$t.new; mv $$t.new $$t; echo "$$t"; done

.PHONY: data-tinyshakespeare data-gpt2 data-fineweb10b
data-tinyshakespeare data-gpt2 data-fineweb10b: data-%:
	@sh code/gpt2/get_data.sh $* $(DATA)

# ---- setting up --------------------------------------------------------------
# What the targets above need, from Debian or Ubuntu, and what for.
define PACKAGES
build-essential     gcc and make: the programs
noweb               tangle: chapters into code
pandoc              weave: chapters into pages
lua5.4              the loom's own scripts
gnuplot-nox         plots
librsvg2-bin        figures
libcmocka-dev       tests: the C test framework
clang               tests: fuzzers; the software GPU
libclang-rt-dev     tests: clang's sanitizers
libomp-dev          tests: OpenMP for clang
hunspell            lint: spelling
hunspell-en-gb      lint: the British word list
hunspell-en-us      lint: the American word list
chromium            tests: the pages in a browser
curl                make data-*: downloads
endef
define PACKAGES_PDF
texlive-luatex             the engine
texlive-latex-recommended  LaTeX
texlive-latex-extra        margins, notes, indexes
texlive-fonts-recommended  fonts
fonts-texgyre              the text face
fonts-texgyre-math         mathematics
fonts-jetbrains-mono       the code face
poppler-utils              tests: reading the PDF back
endef
export PACKAGES PACKAGES_PDF

.PHONY: setup setup-pdf
setup:
	@sh code/weave/setup PACKAGES
setup-pdf:
	@sh code/weave/setup PACKAGES_PDF

# ---- what there is -------------------------------------------------------------
define HELP
setup      install what is missing (Debian, Ubuntu), and say what for
tangle     chapters -> code/
test       build everything and test it; the last line counts
book       chapters -> build/book/html/index.html
pdf        chapters -> build/book/moving-bytes.pdf (make setup-pdf first)
train      train a small GPT-2 on the text of this book (ON=cpu, ON=cuda: there)
bench      measure this CPU against its own ceilings
bench-gpu  the same for this GPU
numbers    promote what bench measured to figures/data
test-gpu   the CUDA sources on a real GPU against the CPU
sanitize   the same under compute-sanitizer
lint       proof-read the chapters
help       this list
clean      remove build/
endef
export HELP
.PHONY: help clean
help:
	@echo "$$HELP"
clean:
	rm -rf build
