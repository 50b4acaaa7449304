#!/bin/bash
# Every command line that README.md, docs/*.md, the starters and the help of the command print must work as printed.
#   commands.sh PROGRAM SOURCE_DIR
# Lines are taken from indented blocks of the documents and from the examples of `moraine COMMAND --help`, and run in a
# scratch folder that holds the files they speak of. RUN.h5 and SCENE stand for any run and any scene; lines with
# [optional] parts or FILE placeholders are not command lines. A viewer is stopped after a moment; all cases of
# `moraine verify` are left to another test.
set -u
program=$(realpath "$1")
sources=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/build"
ln -s "$program" "$work/bin/moraine"
ln -s "$program" "$work/build/moraine"
PATH="$work/bin:$PATH"
cd "$work" || exit 1

# What the lines speak of.
for name in arch hopper; do moraine new $name -o $name.yaml -q; done
moraine new falling-blocks -o blocks.yaml -q && cp blocks.yaml heap.yaml
cp "$sources/gallery/sliding_block.yaml" my_scene.yaml
moraine run blocks.yaml -q -o blocks.h5
for name in run RUN a b; do cp blocks.h5 $name.h5; done
moraine run arch.yaml -q -o arch.h5 --until 0.1
moraine export blocks.h5 --to fclib --step 1200 -o problems -q && cp problems/*.hdf5 step.hdf5
cp step.hdf5 Capsules-i100-1090.hdf5

lines() {
    for file in "$sources"/README.md "$sources"/CONTRIBUTING.md "$sources"/docs/*.md; do
        case $file in */cli.md | */scene.md | */validation.md) continue ;; esac
        sed -nE 's/^    (build\/)?moraine /\1moraine /p' "$file" | sed -E 's/ {3,}.*//; s/ +#.*//'
    done
    sed -nE 's/^# +(moraine )/\1/p' "$sources"/starters/*.yaml
    for command in $(moraine --help | sed -nE '/^Commands:/,/^$/ s/^  ([a-z]+) .*/\1/p'); do
        moraine "$command" --help | sed -nE '/^Examples:/,$ s/^  (moraine |source )/\1/p'
    done
}

failures=0
count=0
while IFS= read -r line; do
    case $line in
    *'RUN.h5 --to vtk|'* | *'RUN.h5 ['* | *'RUN.h5 NAME'* | *COMMAND*) continue ;; # how a command is called, not a line to type
    *'verify' | *'verify --all'*) continue ;;
    *movie*) command -v ffmpeg >/dev/null || continue ;;
    *'| jq'*) command -v jq >/dev/null || line=${line%%|*} ;;
    *'| man'*) command -v man >/dev/null || line=${line%%|*} ;;
    esac
    line=${line//SCENE/blocks.yaml}
    line=${line/--until 20/--until 2.2}
    count=$((count + 1))
    limit=300
    case $line in
    *view\ * | *--view*)
        moraine --version | grep -qE 'viewer +yes' || continue
        limit=3
        [[ $line == *no-open* ]] || line="$line --no-open"
        ;;
    *run*gallery:* | *compare*) [[ $line == *--until* ]] || line="$line --until 0.02" ;;
    esac
    [[ $line =~ ' -o '([a-z.]+) ]] && rm -rf "${BASH_REMATCH[1]}"
    rm -rf blocks-*/
    timeout -s INT $limit bash -c "$line" >out 2>err </dev/null
    code=$?
    # 3: it ran, and some step of a heap that is not the same on every machine stopped short of the tolerance.
    case $line in *moraine\ run\ * | *moraine\ resume\ *) [ $code -eq 3 ] && code=0 ;; esac
    if [ $code -ne 0 ] && ! { [ $limit = 3 ] && [ $code -eq 124 ]; }; then
        echo "FAILS ($code): $line"
        head -5 err
        failures=$((failures + 1))
    elif grep -q Sanitizer err; then
        echo "SANITIZER: $line"
        failures=$((failures + 1))
    fi
done < <(lines | sort -u)
echo "$count lines, $failures fail"
[ $count -gt 40 ] && [ $failures -eq 0 ]
