#!/bin/bash
# Pretrains a model of 1.3 B parameters with ZeRO on two nodes.
script_dir=$(dirname "$(realpath "$0")")
ZERO_STAGE=${ZERO_STAGE:-1}
NODES=2
GPUS_PER_NODE=8
TP=2
DP=$((NODES * GPUS_PER_NODE / TP))
MICRO_BATCH=${MICRO_BATCH:-4}
ACCUMULATION=8
GLOBAL_BATCH=$((MICRO_BATCH * ACCUMULATION * DP))
CONFIG_JSON="${script_dir}/ds_config_z${ZERO_STAGE}.json"

cat <<EOT > "$CONFIG_JSON"
{
  "train_batch_size": $GLOBAL_BATCH,
  "train_micro_batch_size_per_gpu": ${MICRO_BATCH},
  "steps_per_print": 10,
  "zero_optimization": {
    "stage": $ZERO_STAGE,
    "overlap_comm": true,
    "reduce_bucket_size": $((1000 * 1000 * 200))
  },
  "bf16": { "enabled": true },
  "data_types": { "grad_accum_dtype": "fp32" },
  "tensorboard": { "enabled": true, "job_name": "$JOB_NAME" },
  "wall_clock_breakdown": false
}
EOT

ds_args=" \
    --deepspeed \
    --deepspeed_config=${CONFIG_JSON} \
    --zero-stage=${ZERO_STAGE} \
    --deepspeed-activation-checkpointing \
    --no-pipeline-parallel"

torchrun --nnodes $NODES --nproc_per_node $GPUS_PER_NODE pretrain_gpt.py \
    --tensor-model-parallel-size $TP \
    --pipeline-model-parallel-size 1 \
    --num-layers 24 \
    --hidden-size 2048 \
    --num-attention-heads 16 \
    --seq-length 2048 \
    --max-position-embeddings 2048 \
    --micro-batch-size $MICRO_BATCH \
    --global-batch-size $GLOBAL_BATCH \
    --vocab-size 50257 \
    --use-flash-attn-v2 \
    --checkpoint-activations \
    --bf16 \
    $ds_args
