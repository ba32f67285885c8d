# The software GPU, and CUDA sources for it.
#
# build/bin/simtcc, build/include and build/lib belong together and may be
# moved: the script finds the others beside it.  In the library only CUDA's
# names are visible, so that a reader's program may call a function `fail`.
SIMTCC  := $(B)/bin/simtcc
SIMT_LIB_OBJECTS := $(patsubst %.c,$(B)/opt/%.o,\
             $(filter $(CODE)/base/% $(CODE)/simt/%,$(PARTS)))
SIMT_HEADERS := $(patsubst $(CODE)/simt/include/%,$(B)/include/%,\
             $(shell find $(CODE)/simt/include -name '*.h' -o -name '*.awk'))
# Headers without an ending are copies of those with one.
SIMT_BARE    := $(patsubst $(CODE)/simt/include/%.h,$(B)/include/%,\
             $(wildcard $(CODE)/simt/include/cuda/*.h $(CODE)/simt/include/cuda/std/*.h))

# What simtcc has read of headers, for all that is compiled in a run.
export SIMTCC_CACHE := $(abspath $(B)/headers)

$(B)/lib/libsimt.a: $(SIMT_LIB_OBJECTS)
	@mkdir -p $(@D); rm -f $@
	ld -r -o $(@:.a=.o) $^
	objcopy --wildcard -G 'cuda*' -G '__cuda*' -G 'simt_*' -G 'nccl*' \
	  -G 'cuTensorMap*' -G 'cublas*' -G 'curand*' $(@:.a=.o)
	@ar rcs $@ $(@:.a=.o); rm -f $(@:.a=.o)
# The report's page, as a string of C.
PAGE := $(CODE)/simt/counters/page
$(B)/gen/report_page.h: $(PAGE).html $(PAGE).css $(PAGE).js
	@mkdir -p $(@D); { echo 'static const char report_page[] ='; \
	  sed -e '/%STYLE%/{r $(PAGE).css' -e 'd}' -e '/%SCRIPT%/{r $(PAGE).js' -e 'd}' $< \
	  | sed 's/[\\"]/\\&/g; s/.*/"&\\n"/'; echo ';'; } > $@
$(foreach f,opt asan f64 clang,$(B)/$(f)/$(CODE)/simt/counters/page.o): $(B)/gen/report_page.h
$(foreach f,opt asan f64 clang,$(B)/$(f)/$(CODE)/simt/counters/page.o): COMMON += -I$(B)/gen
$(B)/include/%.h: $(CODE)/simt/include/%.h
	@mkdir -p $(@D); cp $< $@
$(B)/include/%.awk: $(CODE)/simt/include/%.awk
	@mkdir -p $(@D); cp $< $@
$(SIMT_BARE): %: %.h
	@cp $< $@
$(SIMTCC): $(CODE)/simt/simtcc $(B)/lib/libsimt.a $(SIMT_HEADERS) $(SIMT_BARE)
	@mkdir -p $(@D); cp $< $@
# The same under the name of nvcc, in a folder that PATH may begin with.
$(SIMTCC): $(B)/as-nvcc/nvcc
$(B)/as-nvcc/nvcc:
	@mkdir -p $(@D); ln -sf ../bin/simtcc $@
$(B)/bin/simt-budget: $(CODE)/course/simt-budget $(SIMTCC)
	@mkdir -p $(@D); cp $< $@

# Any .cu file of the book, for the software GPU.
$(B)/simt/%.o: %.cu $(SIMTCC)
	@mkdir -p $(@D)
	$(SIMTCC) $(SIMTFLAGS) -I$(CODE) -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror) \
	  -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@

# What the model runs on a GPU.  What needs cuBLASLt is for nvcc alone.
CU       := $(sort $(shell find $(CODE)/backend $(CODE)/ops -name '*.cu'))
CU_SIMT  := $(foreach f,$(CU),$(if $(findstring cublaslt,$(f)),,$(f)))
SIMT_OBJECTS := $(CU_SIMT:%.cu=$(B)/simt/%.o)
# Both compilers round every product and sum alone, so that the software GPU
# and a real one compute the same bits.
$(SIMT_OBJECTS): SIMTFLAGS = -ffp-contract=off
# The sums of wgmma are registers only if every loop over them is unrolled.
$(filter %hopper_fwd.o %hopper_bwd.o %two_pass.o %cuda_hopper.o,$(SIMT_OBJECTS)): \
  SIMTFLAGS += -mllvm -unroll-threshold=5000 -Wno-pass-failed

# NAME-simt for the software GPU, NAME-cuda for a real one.
ON_GPU   := $(addprefix $(CODE)/,programs/train programs/eval programs/generate \
            bench/bench_machine bench/bench_step bench/bench_collectives)
define SIMT_PROGRAM
$(B)/bin/$(call name_of,$(1))-simt: $(B)/opt/$(1).o $(SIMT_OBJECTS) \
                                    $(B)/libmb-host.a $(B)/lib/libsimt.a
	@mkdir -p $$(@D)
	$(CC) -fopenmp $(FLAGS.opt) $$^ $(LDLIBS) -lstdc++ -o $$@
endef
$(foreach m,$(ON_GPU),$(eval $(call SIMT_PROGRAM,$(m))))
SIMT_PROGRAMS := $(foreach m,$(ON_GPU),$(B)/bin/$(call name_of,$(m))-simt)
$(B)/tests-simt/%: $(B)/opt/tests/%.o $(SIMT_OBJECTS) $(B)/libmb-host.a \
                   $(B)/lib/libsimt.a
	@mkdir -p $(@D)
	$(CC) -fopenmp $(FLAGS.opt) $^ $(TEST_LIBS) $(LDLIBS) -lstdc++ -o $@

# The programs for GPUs that make sense without a clock.
LESSON_SIMT := $(B)/bin/vector-add-simt $(B)/bin/device-query-simt \
               $(B)/bin/count-accesses-simt \
               $(B)/bin/power-simt $(B)/bin/mlp-nccl-simt
$(LESSON_SIMT): $(B)/bin/%-simt: $(B)/libmb-host.a $(B)/lib/libsimt.a
	@mkdir -p $(@D)
	$(CC) -fopenmp $(FLAGS.opt) $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) -lstdc++ -o $@
$(B)/bin/vector-add-simt:   $(B)/simt/$(CODE)/lessons/vector_add.o
$(B)/bin/device-query-simt: $(B)/simt/$(CODE)/lessons/device_query.o
$(B)/bin/count-accesses-simt: $(B)/simt/$(CODE)/lessons/count_accesses.o \
  $(B)/simt/$(CODE)/bench/access_kernels.o $(B)/simt/$(CODE)/ladder/transpose.o
$(B)/bin/power-simt:        $(B)/simt/$(CODE)/lessons/power.o
$(B)/bin/mlp-nccl-simt:     $(B)/simt/$(CODE)/lessons/mlp_nccl.o

# The coding exercises.  What grade tells is not a failure of make.
# project/own has no grader: the reader's own budget is what it is held to.
.PHONY: exercise install uninstall
EXERCISES ?= exercises
OWN       := $(EXERCISES)/project/own
ifeq ($(NAME),project/own)
exercise: $(SIMTCC) $(B)/bin/simt-budget
	@mkdir -p "$(EXERCISES)/project"
	@[ -e "$(OWN).cu" ] || { sed 1,2d $(CODE)/course/own/own.cu > "$(OWN).cu" && \
	  echo "$(OWN).cu: write your kernel here."; }
	@[ -e "$(OWN).yaml" ] || { sed 1,2d $(CODE)/course/own/own.yaml > "$(OWN).yaml" && \
	  echo "$(OWN).yaml: derive your budget here, first."; }
	@$(B)/bin/simt-budget "$(OWN).cu" "$(OWN).yaml" || true
else
exercise:
	@[ -e $(B)/bin/grade ] || echo "Building the grader, once: about a minute."
	@$(MAKE) -s $(B)/bin/grade $(SIMTCC)
	@$(B)/bin/grade $(NAME) || true
endif

# simtcc, grade and simt-budget with all that they need in a folder of their own: its
# headers have the names of CUDA's and must not lie among the system's.
PREFIX  ?= /usr/local
HOME_OF := $(PREFIX)/lib/moving-bytes
install: $(B)/bin/grade $(B)/bin/simt-budget $(SIMTCC)
	rm -rf "$(DESTDIR)$(HOME_OF)"
	mkdir -p "$(DESTDIR)$(HOME_OF)" "$(DESTDIR)$(PREFIX)/bin"
	cp -R $(B)/include $(CODE)/course/start tests/data/gpt2-tiny "$(DESTDIR)$(HOME_OF)"
	mkdir "$(DESTDIR)$(HOME_OF)/bin" "$(DESTDIR)$(HOME_OF)/lib"
	cp $(B)/bin/grade $(B)/bin/simt-budget $(SIMTCC) "$(DESTDIR)$(HOME_OF)/bin"
	cp $(B)/lib/libsimt.a "$(DESTDIR)$(HOME_OF)/lib"
	for name in grade simt-budget simtcc; do \
	  ln -sf ../lib/moving-bytes/bin/$$name "$(DESTDIR)$(PREFIX)/bin"; done
uninstall:
	rm -rf "$(DESTDIR)$(HOME_OF)"
	for name in grade simt-budget simtcc; do rm -f "$(DESTDIR)$(PREFIX)/bin/$$name"; done
