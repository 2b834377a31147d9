#!/usr/bin/env bash
# A mixture of experts on 64 GPUs; don't run it on fewer.
set -euo pipefail

export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS=8
NODES=${NODES:-8}
HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
OUT=/scratch/$USER/runs/$(date +"%Y-%m-%d")
mkdir -p "$OUT/checkpoints"

TP=2
PP=4
EP=8
DP=$((GPUS * NODES / (TP * PP)))
MICRO=1
ACCUMULATE=32

LAUNCHER=(
    --nproc_per_node $GPUS
    --nnodes $NODES
    --node_rank ${SLURM_NODEID:-0}
    --master_addr "$HEAD"
    --master_port 6000
)
MODEL=(
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8          # one for four heads
    --seq-length 4096
    --max-position-embeddings 4096
    --position-embedding-type rope
    --normalization RMSNorm
    --swiglu
    --disable-bias-linear
    --untie-embeddings-and-output-weights
    # --qk-layernorm
)
EXPERTS=(
    --num-experts 64
    --moe-router-topk 6
    --moe-ffn-hidden-size 1408
    --moe-layer-freq "([0]*1+[1]*31)"
    --moe-token-dispatcher-type alltoall
    --expert-model-parallel-size $EP
    --moe-grouped-gemm
)
TRAINING=(
    --micro-batch-size $MICRO
    --global-batch-size $((MICRO * DP * ACCUMULATE))
    --lr 3e-4 --min-lr 3e-5
    --weight-decay 0.1
    --bf16
    --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather
    --recompute-granularity selective --recompute-modules moe_act layernorm
)
PARALLEL=(
    --tensor-model-parallel-size $TP
    --pipeline-model-parallel-size $PP
    --sequence-parallel
    --no-overlap-p2p-communication
)
DATA=( --data-path 0.3 /data/a_document 0.7 /data/b_document --tokenizer-type NullTokenizer --vocab-size 32000 )

if [[ "${PROFILE:-0}" == 1 ]]; then
    TRAINING+=( --profile --profile-step-start 4 --profile-ranks 0 8 )
fi

torchrun "${LAUNCHER[@]}" pretrain_gpt.py \
    "${MODEL[@]}" "${EXPERTS[@]}" "${TRAINING[@]}" "${PARALLEL[@]}" "${DATA[@]}" \
    --save "$OUT/checkpoints" --save-interval 500 \
    --log-interval 10 $EXTRA_ARGS 2>&1 | tee --append "$OUT/log"
