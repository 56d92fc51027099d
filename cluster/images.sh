#!/usr/bin/env bash
# Build the images for the current cluster: images.sh PYTHON [OPTION…]. kind uses Docker's images, containerd archives.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
python=${1:?the Python of the checkout}
shift
driver=$(driver)
if [ "$driver" = kind ]; then engine=docker; else engine=buildah; fi
cd "$REPO"
exec "$python" -m images.build --engine "$engine" "$@"
