# The library and the programs, for this processor.
#
# One library from every room; one object tree per flavour:
#   opt    float, optimised           asan   float, address and UB sanitizers
#   f64    double, optimised          (real is double: gradient checks)
WARN    := -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror) \
           -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CFLAGS  ?= -O3 -g
COMMON  := -std=c17 -D_GNU_SOURCE -I$(CODE) $(WARN) -fopenmp -MMD -MP
FLAGS.opt  := $(CFLAGS) -fno-math-errno -fno-trapping-math -ffp-contract=fast
FLAGS.f64  := $(CFLAGS) -DREAL_IS_DOUBLE
FLAGS.asan := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all \
              -fno-omit-frame-pointer
LDLIBS  := -lm -lpthread
# cmocka, where it is; without it tests/rows.h has what its rows need.
TEST_LIBS := $(if $(wildcard /usr/include/cmocka.h /usr/local/include/cmocka.h),-lcmocka)

# What an object was compiled with is a file that changes when that changes,
# and what all objects of the kind depend on: $(call stamp,NAME,TEXT).
space := $(subst ,, )
glue  = [$(subst $(space),|,$(strip $(1)))]
stamp = $(if $(filter $(call glue,$(2)),$(call glue,$(file <$(B)/flags/$(1)))),,\
          $(shell mkdir -p $(B)/flags)$(file >$(B)/flags/$(1),$(2)))
CC_IS := $(shell $(CC) --version 2> /dev/null | head -1)
$(foreach f,opt f64 asan,$(call stamp,$(f),$(CC) $(CC_IS) $(COMMON) $(FLAGS.$(f))))

# The thousands of small functions that execute instructions: under the
# sanitizers most of a compiler's time, for nothing that is waited for.
$(B)/asan/$(CODE)/simt/executor/execute_%.o: FLAGS.asan += -O0
# The software GPU gives the same bits on every processor: no product and sum
# become one where that is cheap.
$(foreach d,reader executor counters sanitizer runtime,$(foreach f,opt f64 asan,\
  $(B)/$(f)/$(CODE)/simt/$(d)/%.o)): ROOM := -ffp-contract=off

# A program is a file with a main() in one of these rooms; all else is library.
SOURCES := $(sort $(shell find $(CODE) -name '*.c'))
MAINS   := $(sort $(shell grep -lE '^int main\b' $(filter $(addprefix $(CODE)/,programs/% \
             bench/% lessons/%),$(SOURCES))))
PARTS   := $(filter-out $(MAINS),$(SOURCES))
# What has a `real` in it, for f64; all of it for the others.
PARTS.opt  := $(PARTS)
PARTS.asan := $(PARTS)
PARTS.f64  := $(filter-out $(addprefix $(CODE)/,simt/% bench/% lessons/% ladder/%) %_bf16.c,$(PARTS))
name_of  = $(subst _,-,$(basename $(notdir $(1))))
PROGRAMS := $(foreach m,$(MAINS),$(B)/bin/$(call name_of,$(m)))

.PHONY: programs
programs: $(PROGRAMS) $(B)/bin/simtcc $(B)/bin/simt-budget

# q, not r: two rooms may have a cpu.c.
define FLAVOUR
$(B)/$(1)/%.o: %.c $(B)/flags/$(1)
	@mkdir -p $$(@D)
	$$(CC) $$(COMMON) $$(FLAGS.$(1)) $$(ROOM) -c $$< -o $$@
$(B)/libmb-$(1).a: $(PARTS.$(1):%.c=$(B)/$(1)/%.o)
	@rm -f $$@; ar qcs $$@ $$^
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
# What tests/*.sh run of these.
ASAN_PROGRAMS := $(B)/bin-asan/bench-ops

# The library for programs that are linked with CUDA sources: without the
# software GPU, whose runtime has CUDA's names, and with another list of
# backends.
GPU_LIST := $(B)/gpu/$(CODE)/ops/backends.o
$(GPU_LIST): $(CODE)/ops/backends.c $(B)/flags/opt
	@mkdir -p $(@D)
	$(CC) $(COMMON) $(FLAGS.opt) -DWITH_GPU -c $< -o $@
$(B)/libmb-host.a: $(GPU_LIST) $(patsubst %.c,$(B)/opt/%.o,$(filter-out \
                   $(CODE)/simt/% $(CODE)/ops/backends.c,$(PARTS)))
	@rm -f $@; ar qcs $@ $^
