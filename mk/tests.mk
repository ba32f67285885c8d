# What the tests need, and how they are run.

TESTS     := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
TESTS64   := $(patsubst tests/%.c,%,$(wildcard tests/f64_*.c))
TEST_BINS := $(TESTS:%=$(B)/tests-opt/%) $(TESTS64:%=$(B)/tests-f64/%) \
             $(TESTS:%=$(B)/tests-asan/%)
# Every operator once more, and training, on the software GPU.  tests/gpu_*.c
# are of operators that only a GPU, real or simulated, has.
OPERATOR_TESTS := $(patsubst tests/%.c,%,$(wildcard tests/gpu_*.c))
SIMT_TESTS := $(B)/tests-simt/test_ops $(B)/tests-simt/test_decoder $(OPERATOR_TESTS:%=$(B)/tests-simt/%)
LOSSES     := $(foreach f,simt opt f64,$(B)/tests-$(f)/losses)
FUZZERS := $(patsubst tests/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz_*.c))

# It stands between the library and the allocator.
$(B)/tests-opt/test_memory $(B)/tests-asan/test_memory: TEST_LIBS += \
      $(foreach f,malloc calloc realloc aligned_alloc free,-Wl$(,)--wrap=$(f))
# It stands between the model and its matrix products.
$(B)/tests-f64/f64_low_precision: TEST_LIBS += \
      $(foreach f,gemm gemm_bias gemm_sumsq,-Wl$(,)--wrap=$(f))

.PHONY: test test-code test-programs check-quick wrong
test-programs: $(PROGRAMS) $(SIMTCC) $(B)/bin/simt-budget $(ASAN_PROGRAMS) $(LESSON_SIMT) \
      $(TEST_BINS) $(FUZZERS) $(SIMT_PROGRAMS) $(SIMT_TESTS) $(LOSSES) \
      $(B)/tests-simt/count_ops $(B)/tests-simt/count_fused
SCRIPTS    := $(sort $(wildcard tests/*.sh tests/*.mjs))
# These are of the loom, the press, and what they make.
BOOK_TESTS := $(addprefix tests/,loom.sh bind.sh press.sh lint.sh pages.mjs)
RUN_TESTS   = @DATA=$(DATA) $(WRONG) FUZZ_S=$(FUZZ_S) tests/run $(TEST_BINS) \
              $(SIMT_TESTS) $(1) tests/wrong/run
test: book test-programs
	$(call RUN_TESTS,$(SCRIPTS))
test-code: test-programs
	$(call RUN_TESTS,$(filter-out $(BOOK_TESTS),$(SCRIPTS)))

# tests/wrong: every known mistake must be caught by the rows that say so.
WRONG = CC="$(CC)" B=$(B) FLAGS_OPT="$(COMMON) $(FLAGS.opt)" \
        FLAGS_F64="$(COMMON) $(FLAGS.f64)" LIBS="$(LDLIBS)" \
        SIMT_OBJECTS="$(SIMT_OBJECTS)"
wrong: $(TEST_BINS) $(SIMT_TESTS)
	@$(WRONG) tests/wrong/run $(NAME)

# What a commit must pass: everything compiles, the fast tests succeed.  One
# trains a model six times, for a minute.
QUICK64 := $(filter-out f64_low_precision,$(TESTS64))
check-quick: $(PROGRAMS) $(SIMTCC) $(TESTS:%=$(B)/tests-opt/%) $(TESTS64:%=$(B)/tests-f64/%)
	@DATA=$(DATA) tests/run $(TESTS:%=$(B)/tests-opt/%) $(QUICK64:%=$(B)/tests-f64/%) tests/provenance.sh

# On a machine with a GPU and nvcc; needs neither clang nor cmocka.
.PHONY: test-gpu sanitize
GPU_ROWS  := $(B)/tests-cuda/test_ops $(B)/tests-cuda/test_decoder $(OPERATOR_TESTS:%=$(B)/tests-cuda/%)
GPU_TESTS := $(GPU_ROWS) $(B)/tests-cuda/losses
test-gpu: needs-nvcc $(CUDA_PROGRAMS) $(GPU_TESTS) $(B)/tests-f64/losses \
          $(B)/tests-opt/losses $(B)/bin/tokenize
	@B=$(B) MACHINE=cuda JOBS=1 tests/run $(GPU_ROWS) tests/machines.sh tests/kill.sh

# The same rows, and two steps of training, under each of NVIDIA's checkers.
# initcheck does not see what Hopper's bulk copies store, and calls every number
# unwritten that came that way: under it the model takes the mma.sync kernels.
# gpu_backends has rows in which CUDA refuses memory or a launch, on purpose.
# They measure no time: make -j8 sanitize has eight of them going.
SANITIZERS ?= racecheck memcheck initcheck synccheck
CHECKED := $(foreach t,$(SANITIZERS),$(addprefix sanitize/$(t)/,$(notdir $(GPU_TESTS))))
.PHONY: $(CHECKED)
sanitize: $(CHECKED)
$(CHECKED): sanitize/%: needs-nvcc $(GPU_TESTS)
	@log=$(B)/sanitize-$(*D)-$(*F).log start=$$(date +%s); \
	  env SANITIZING=1 $(if $(filter initcheck,$(*D)),PRODUCT_KERNEL=mma FLASH_KERNEL=mma) \
	  timeout 600 compute-sanitizer --tool $(*D) --error-exitcode 1 \
	  $(if $(filter memcheck/gpu_backends,$*),--report-api-errors no) \
	  $(B)/tests-cuda/$(*F) $(if $(filter losses,$(*F)),tests/data/machines.txt \
	  $(B)/sanitize-$(*D).bin 2) > $$log 2>&1 || { cat $$log; exit 1; }; \
	  echo "$(*D) $(*F), $$(( $$(date +%s) - start )) s: $$(tail -1 $$log)"

# Fuzzers: tests/fuzz_NAME.c, with what they found in tests/data/corpus.
# Built by clang, run for FUZZ_S seconds each; a crash, a leak or undefined
# behaviour is a failed test.
FUZZ_S  ?= 2
FUZZ_FLAGS := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined \
              -fno-sanitize-recover=all -Wno-pass-failed
# What reads files and modules.  What only has to be there, for nothing is
# executed, comes as it is from the library.
FUZZ_PARTS := $(filter $(addprefix $(CODE)/,base/% io/% data/% gpt2/% \
              simt/reader/%),$(PARTS))

$(call stamp,clang,$(shell clang --version 2> /dev/null | head -1) $(COMMON) $(FUZZ_FLAGS))
$(B)/clang/%.o: %.c $(B)/flags/clang
	@mkdir -p $(@D)
	clang $(COMMON) $(FUZZ_FLAGS) -c $< -o $@
$(B)/libmb-clang.a: $(FUZZ_PARTS:%.c=$(B)/clang/%.o)
	@rm -f $@; ar qcs $@ $^
$(B)/fuzz/%: $(B)/clang/tests/%.o $(B)/libmb-clang.a $(B)/libmb-opt.a
	@mkdir -p $(@D)
	clang -fopenmp -g -fsanitize=fuzzer,address,undefined $^ $(LDLIBS) -o $@
