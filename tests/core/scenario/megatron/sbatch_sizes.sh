#!/bin/bash
#SBATCH --job-name=pretrain
#SBATCH --nodes=16
#SBATCH --ntasks-per-node=8
#SBATCH --gres=gpu:8
#SBATCH --time=24:00:00

usage() { echo "usage: sbatch $0 [--num-layers N] SIZE"; exit 1; }

SIZE=${1:-small}
case "$SIZE" in
    small|1b)
        LAYERS=24; HIDDEN=2048; HEADS=16
        PRECISION="--bf16" ;;
    large)
        LAYERS=48
        HIDDEN=8192
        HEADS=64
        PRECISION="--bf16 --fp8-format hybrid --fp8-recipe delayed" ;;
    *)
        usage ;;
esac
FFN=$((HIDDEN * 4))
if [ -z "$BATCH" ]; then
    BATCH=$((SLURM_NTASKS * 2))
fi
DIR=`dirname "$0"`
BLEND="0.5 $DIR/one 0.5 $DIR/two"

OPTIONS=" \
    --num-layers $LAYERS \
    --hidden-size $HIDDEN --ffn-hidden-size $FFN \
    --num-attention-heads ${HEADS} \
    --seq-length 2048 --max-position-embeddings 2048 \
    --tensor-model-parallel-size ${SLURM_NTASKS_PER_NODE} \
    --pipeline-model-parallel-size ${PIPELINE} \
    --micro-batch-size 2 \
    --global-batch-size $BATCH \
    --data-path ${BLEND} \
    --split 98,2,0 \
    --clip-grad 1.0 \
    --lr 1.0e-4 --lr-decay-style cosine \
    --recompute-activations "
RUN="python -u ${DIR}/pretrain_gpt.py $@ ${OPTIONS} ${PRECISION}"

srun -l \
    --container-image "registry#nemo:24" \
    --container-mounts "/lustre:/lustre,$DIR:$DIR" \
    --output="$DIR/%x_%j.log" sh -c "${RUN}"
