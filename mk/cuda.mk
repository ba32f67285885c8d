# The same sources for a real GPU, by nvcc.
#
# SM is the architecture: 90 is Hopper, 89 an RTX 40, 120 an RTX 50.
SM      ?= 90
NVCC    ?= nvcc
CARD_SM  = $(subst .,,$(shell nvidia-smi --query-gpu=compute_cap \
             --format=csv$(,)noheader 2>/dev/null | sed -n 1p))
# wgmma and setmaxnreg exist for sm_90a only, which is no plain -arch.
NVARCH   = $(if $(filter 90,$(SM)),-gencode=arch=compute_90a$(,)code=sm_90a,-arch=sm_$(SM))
NVFLAGS  = -O3 -std=c++17 $(NVARCH) -lineinfo -I$(CODE) \
           -Xcompiler -Wall,-Wextra,-fopenmp
NVLIBS  := -lcublasLt
# NCCL, for several GPUs: in the folder NCCL, which has include/nccl.h and lib;
# without it, where the CUDA toolkit or the system has it, or not at all.
NCCL    ?=
NCCL_IN := $(firstword $(wildcard $(addsuffix /include/nccl.h,\
             $(or $(NCCL),$(abspath $(dir $(shell command -v $(NVCC)))..) /usr))))
ifneq ($(NCCL_IN),)
NCCL_LIB := $(abspath $(dir $(NCCL_IN))/../lib)
NVFLAGS  += -DWITH_NCCL -I$(dir $(NCCL_IN))
NVLIBS   += $(if $(NCCL),-L$(NCCL_LIB) -Xlinker -rpath=$(NCCL_LIB)) \
            $(if $(NCCL)$(wildcard $(NCCL_LIB)/libnccl.so),-l:$(notdir $(firstword \
              $(wildcard $(NCCL_LIB)/libnccl.so $(NCCL_LIB)/libnccl.so.2))),-lnccl)
else ifneq ($(NCCL),)
$(error NCCL=$(NCCL): no include/nccl.h in it)
endif
NVCC_IS := $(shell $(NVCC) --version 2> /dev/null | tail -1)
$(call stamp,cuda,$(NVCC) $(NVCC_IS) $(NVFLAGS))

.PHONY: needs-nvcc
needs-nvcc:
	@command -v $(NVCC) > /dev/null || { echo "no '$(NVCC)': the CUDA" \
	  "toolkit compiles these; name it with NVCC=..."; exit 1; }
	@card="$(CARD_SM)"; [ -z "$$card" ] || [ "$$card" = "$(SM)" ] || { \
	  echo "this GPU is sm_$$card, and SM=$(SM) is compiled for:" \
	       "make SM=$$card $(MAKECMDGOALS)"; exit 2; }

$(B)/cuda/%.o: %.cu $(B)/flags/cuda
	@mkdir -p $(@D)
	$(NVCC) $(NVFLAGS) $(FMAD) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

CUDA_OBJECTS := $(CU:%.cu=$(B)/cuda/%.o) $(B)/cuda/$(CODE)/dist/nccl.o
$(CUDA_OBJECTS): FMAD = --fmad=false

# $(call nvlink): how all of these are linked.
define nvlink
	@mkdir -p $(@D)
	$(NVCC) $(NVARCH) -Xcompiler -fopenmp $(filter-out $(B)/flags/%,$^) $(NVLIBS) $(1) $(LDLIBS) -o $@
endef
define CUDA_PROGRAM
$(B)/bin/$(call name_of,$(1))-cuda: $(B)/opt/$(1).o $(CUDA_OBJECTS) $(B)/libmb-host.a
	$$(call nvlink)
endef
$(foreach m,$(ON_GPU),$(eval $(call CUDA_PROGRAM,$(m))))
CUDA_PROGRAMS := $(foreach m,$(ON_GPU),$(B)/bin/$(call name_of,$(m))-cuda)
$(B)/tests-cuda/%: $(B)/opt/tests/%.o $(CUDA_OBJECTS) $(B)/libmb-host.a
	$(call nvlink,$(TEST_LIBS))

# Programs that are one .cu file, each with the kernels that are measured.
GPU_KERNELS := $(wildcard $(CODE)/ladder/*.cu) $(CODE)/bench/access_kernels.cu
GPU_MAINS   := $(sort $(shell grep -lE '^int main\b' $(wildcard $(CODE)/bench/*.cu \
                 $(CODE)/lessons/*.cu)))
# These measure the operators of the model, or share the library's (what fails
# in the driver is a failure of a backend).
WITH_OPS    := %/fused.cu %/products.cu %/attention.cu %/tensor_cores.cu \
               %/matmul_e4m3.cu %/ceilings.cu %/matmul_sweep.cu %/decode.cu \
               %/quantised.cu
# Of these a program takes what it calls: a library.
$(B)/libmb-ladder.a: $(GPU_KERNELS:%.cu=$(B)/cuda/%.o)
	@rm -f $@; ar qcs $@ $^
define GPU_MAIN
$(B)/bin/$(call name_of,$(1))-cuda: $(B)/cuda/$(1:.cu=.o) $(B)/libmb-ladder.a \
                 $(if $(filter $(WITH_OPS),$(1)),$(CUDA_OBJECTS)) $(B)/libmb-host.a
	$$(call nvlink)
endef
$(foreach m,$(GPU_MAINS),$(eval $(call GPU_MAIN,$(m))))
