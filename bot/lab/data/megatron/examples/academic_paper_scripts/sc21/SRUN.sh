#!/bin/bash
# Starts one of the scaling runs of the SC21 paper on a Slurm cluster with pyxis.

srun -l \
     --container-image "nvcr.io#nvidia/pytorch:20.12-py3" \
     --container-mounts "${THIS_DIR}:${THIS_DIR},${DATA_DIR}:${DATA_DIR}" \
     bash -c "${CMD}"
