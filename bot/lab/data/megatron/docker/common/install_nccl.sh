#!/bin/bash
# Replaces the NCCL of the base image by the version that the caller names.
set -ex

NCCL_VER="2.30.7-1+cuda13.3"

for argument in "$@"; do
    case $argument in
        --NCCL_VER=?*) NCCL_VER="${argument#*=}" ;;
    esac
done

apt-get update
apt-get install -y --no-install-recommends --allow-change-held-packages \
    libnccl2="${NCCL_VER}" \
    libnccl-dev="${NCCL_VER}"
apt-get clean
