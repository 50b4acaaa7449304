#!/bin/sh
# Install into a temporary prefix; build and run a user's program with pkg-config and with find_package.
# check.sh BUILD_DIR COMPILER [FLAGS]
set -e
source_dir=$(cd "$(dirname "$0")" && pwd)
build_dir=$1
compiler=$2
flags=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a prefix"

cmake --install "$build_dir" --prefix "$prefix" >/dev/null
lib=$(dirname "$(find "$prefix" -name moraine.pc)")
test -f "$(dirname "$lib")/cmake/moraine/moraine-config.cmake"
"$prefix/bin/moraine" --version
"$prefix/bin/moraine" gallery --quiet >/dev/null
grep -q '^\.TH MORAINE 1' "$prefix/share/man/man1/moraine.1"
test -f "$prefix/share/bash-completion/completions/moraine"

echo "pkg-config:"
PKG_CONFIG_PATH=$lib
export PKG_CONFIG_PATH
cp "$source_dir/fall.c" "$work"
# eval: pkg-config quotes what a shell must see as one word
eval "$compiler $flags -o '$work/fall' '$work/fall.c' $(pkg-config --cflags --libs moraine)"
"$work/fall"

echo "find_package:"
mkdir "$work/project"
cp "$source_dir/fall.c" "$source_dir/CMakeLists.txt" "$work/project"
cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flags" >/dev/null
cmake --build "$work/project/build" >/dev/null
"$work/project/build/fall"
