#!/bin/bash
# Builds one row of the matrix in stages/01.build.yml.
set -euo pipefail
eval "IMAGE=\$$IMAGE"
docker build \
    --target "$STAGE" \
    --file "docker/$FILE" \
    --tag "${IMAGE}:${CI_PIPELINE_ID}-${PLATFORM}" \
    --build-arg FROM_IMAGE_NAME="$BASE_IMAGE" \
    --build-arg IMAGE_TYPE="${IMAGE_TYPE:-}" \
    --push .
