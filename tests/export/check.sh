#!/bin/sh
# Run two small scenes, export them, and read everything back with packaged readers.  check.sh COMMAND PYTHON
set -e
command=$1 python=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for dimension in 2d 3d; do
    "$command" run "$here/$dimension.yaml" -o $dimension.h5 -q
    "$command" export $dimension.h5 --to vtk -q
    "$command" export $dimension.h5 --to csv -q
    "$command" export $dimension.h5 --to fclib --frames 3: -q
done
"$command" export 2d.h5 --to geojson -q
# Files are the same for any number of threads.
for format in vtk csv geojson; do
    "$command" export 2d.h5 --to $format -o 2d-$format-alone --threads 1 -q
    "$command" export 2d.h5 --to $format -o 2d-$format-many --threads 5 -q
    diff -r 2d-$format-alone 2d-$format-many
done
"$python" "$here/read_vtk.py" 2d.h5 2d-vtk
"$python" "$here/read_vtk.py" 3d.h5 3d-vtk
"$python" "$here/read_tables.py" 2d.h5 2d-csv 2d-fclib 2d-geojson
"$python" "$here/read_tables.py" 3d.h5 3d-csv 3d-fclib
