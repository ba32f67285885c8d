#!/bin/sh
# Tangled from chapters/workshop/count-kernels.nw, "The script".  Edit it there.

# Count the kernels of a program with Nsight Compute on the GPU at hand.
#
#     count_ncu.sh OUT.csv PROGRAM [ARGUMENTS]
#
# OUT.csv: what was run on what, then kernel,metric,value for every launch
# and every metric that is not 0.  Nothing about the card is changed.
set -eu
[ $# -ge 2 ] ||
    { echo "usage: $0 OUT.csv PROGRAM [ARGUMENTS]" >&2; exit 2; }
out=$1
shift
raw=$(mktemp)
trap 'rm -f "$raw" "$raw.names"' EXIT

# the counters to ask for
# short name, name in ncu
t=l1tex__t_
lsu=pipe_lsu_mem
waves=l1tex__data_pipe_lsu_wavefronts_mem_shared_op
conf=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op
inst=smsp__inst_executed_op
flop=smsp__sass_thread_inst_executed_op
bypass=sm__sass_l1tex_t_
bytes=sm__sass_data_bytes_mem
cat > "$raw.names" <<END

# the counters of global and local memory
ld_req     ${t}requests_${lsu}_global_op_ld.sum
ld_sec     ${t}sectors_${lsu}_global_op_ld.sum
st_req     ${t}requests_${lsu}_global_op_st.sum
st_sec     ${t}sectors_${lsu}_global_op_st.sum
atom_req   ${t}requests_${lsu}_global_op_atom.sum
atom_sec   ${t}sectors_${lsu}_global_op_atom.sum
red_req    ${t}requests_${lsu}_global_op_red.sum
red_sec    ${t}sectors_${lsu}_global_op_red.sum
ca_req     ${t}requests_${lsu}_global_op_ldgsts_cache_access.sum
ca_sec     ${t}sectors_${lsu}_global_op_ldgsts_cache_access.sum
cg_req     ${bypass}requests_${lsu}_global_op_ldgsts_cache_bypass.sum
cg_sec     ${bypass}sectors_${lsu}_global_op_ldgsts_cache_bypass.sum
lld_req    ${t}requests_${lsu}_local_op_ld.sum
lld_sec    ${t}sectors_${lsu}_local_op_ld.sum
lst_req    ${t}requests_${lsu}_local_op_st.sum
lst_sec    ${t}sectors_${lsu}_local_op_st.sum
ld_bytes   ${bytes}_global_op_ld.sum
st_bytes   ${bytes}_global_op_st.sum
atom_bytes ${bytes}_global_op_atom.sum
red_bytes  ${bytes}_global_op_red.sum
ca_bytes   ${bytes}_global_op_ldgsts_cache_access.sum
cg_bytes   ${bytes}_global_op_ldgsts_cache_bypass.sum
lld_bytes  ${bytes}_local_op_ld.sum
lst_bytes  ${bytes}_local_op_st.sum

# the counters of shared memory
sld_wave   ${waves}_ld.sum
sst_wave   ${waves}_st.sum
satom_wave ${waves}_atom.sum
sld_conf   ${conf}_ld.sum
sst_conf   ${conf}_st.sum
satom_conf ${conf}_atom.sum
cg_wave    sm__sass_l1tex_${waves#l1tex__}_ldgsts_cache_bypass.sum
sld_inst   ${inst}_shared_ld_pred_on_any.sum
sst_inst   ${inst}_shared_st_pred_on_any.sum
satom_inst ${inst}_shared_atom_pred_on_any.sum
ldsm_inst  ${inst}_ldsm_pred_on_any.sum
stsm_inst  ${inst}_shared_stsm_pred_on_any.sum
async_inst ${inst}_ldgsts_pred_on_any.sum
sld_bytes  ${bytes}_shared_op_ld.sum
sst_bytes  ${bytes}_shared_op_st.sum
satom_bytes ${bytes}_shared_op_atom.sum
ldsm_bytes ${bytes}_shared_op_ldsm.sum
stsm_bytes ${bytes}_shared_op_stsm.sum
const_wave idc__requests.sum
const_inst ${inst}_ldc.sum

# the counters of instructions and arithmetic
inst       smsp__inst_executed.sum
thread     smsp__thread_inst_executed.sum
thread_on  smsp__thread_inst_executed_pred_on.sum
thread_mem ${flop}_memory_pred_on.sum
fadd       ${flop}_fadd_pred_on.sum
fmul       ${flop}_fmul_pred_on.sum
ffma       ${flop}_ffma_pred_on.sum
hmma       sm__inst_executed_pipe_tensor_op_hmma.sum
flop_bf16  sm__ops_path_tensor_src_bf16_dst_fp32.sum
flop_f16   sm__ops_path_tensor_src_fp16.sum
flop_tf32  sm__ops_path_tensor_src_tf32_dst_fp32.sum
registers  launch__registers_per_thread
smem       launch__shared_mem_per_block_static
END

# ask for them
metrics=$(awk '/^[a-z]/ { printf "%s%s", sep, $2; sep = "," }' "$raw.names")
ncu --clock-control none --cache-control none --csv --page raw \
    --print-units base --print-kernel-base function \
    --metrics "$metrics" "$@" > "$raw"

# one row for each kernel and counter
{
    echo "# machine: $(nvidia-smi --query-gpu=name,driver_version \
        --format=csv,noheader | head -1)"
    echo "# compiler: ${COMPILER:-unknown}"
    echo "# command: count_ncu.sh $(basename "$1")"
    echo "# commit: ${COMMIT:-unknown}"
    echo "# date: $(date -u +%Y-%m-%d)"
    echo "kernel,metric,value"
    awk -F '","' -v names="$raw.names" '
        # read the table of a quoted file
        BEGIN {
            while ((getline line < names) > 0) {
                split(line, n, " +")
                short[n[2]] = n[1]
            }
        }
        /^"/ { gsub(/^"|"$/, "") }
        /^ID/ { for (i = 1; i <= NF; i++) column[i] = $i; next }
        /^[0-9]+","/ {
            for (i = 1; i <= NF; i++)
                if (column[i] == "Kernel Name")
                    kernel = $i
            for (i = 1; i <= NF; i++) {
                gsub(/,/, "", $i)               # 1,024
                if (column[i] in short && $i + 0 != 0)
                    printf "%s,%s,%.0f\n", kernel, short[column[i]], $i
            }
        }
    ' "$raw"
} > "$out"
