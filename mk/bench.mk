# Training, measuring, data.

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
	  sh code/programs/train_text.sh $(B)/bin $(TRAIN_OUT)

# make data-NAME: the only target that uses the network.

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
GPU_BENCH := $(foreach p,bandwidth access transpose copies latency,$(B)/bin/$(p)-cuda)
FIRST_BENCH := $(foreach p,device-query throughput,$(B)/bin/$(p)-cuda)
# STEPS: whole steps of training to time, ours and PyTorch's (where it is) in
# turns: MODEL:BATCH:ROUNDS,...; without it the sizes that the book shows.
STEPS ?=
# These write to build/bench/NAME.csv.
ROOF_BENCH := reduction matmul tensor-cores matmul-e4m3 quantize fusion recomputation \
              ceilings matmul-sweep spmv attention fused products
.PHONY: bench-gpu
# GPUS: of more than one, the tables of several GPUs instead.
GPUS ?= 1
ifneq ($(GPUS),1)
bench-gpu: needs-nvcc $(foreach p,bench-step bench-collectives peer-copies,$(B)/bin/$(p)-cuda)
	@COMMIT=$$(git rev-parse --short HEAD 2>/dev/null) \
	  sh $(CODE)/bench/many_gpus.sh $(B)/bin $(GPUS) $(B)/bench $(if $(MACHINE),"$(MACHINE)")
else
bench-gpu: needs-nvcc $(GPU_BENCH) $(FIRST_BENCH) $(B)/bin/launches-cuda \
           $(B)/bin/bench-step-cuda $(ROOF_BENCH:%=$(B)/bin/%-cuda)
	@mkdir -p $(B)/bench
	@set -e; for p in $(GPU_BENCH); do echo; echo "$${p##*/}"; \
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
endif

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
	@sh code/data/get_data.sh $* $(DATA)
