#!/bin/sh
# Each public header compiles alone, in C and in C++, without warnings.
# headers.sh INCLUDE_DIR C_COMPILER CXX_COMPILER
set -e
count=0
for header in "$1"/moraine/*.h; do
    name=moraine/$(basename "$header")
    printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$name" "$name" |
        "$2" -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$1" -fsyntax-only -x c -
    printf '#include <%s>\n#include <%s>\nint main() { return 0; }\n' "$name" "$name" |
        "$3" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$1" -fsyntax-only -x c++ -
    count=$((count + 1))
done
echo "$count headers"
test "$count" -ge 1
test "$count" -le 10
