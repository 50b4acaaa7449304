# Turn text files into a C table: cmake -D OUTPUT=starters.c -D FILES="a.yaml;b.yaml" -P embed.cmake
set(arrays "")
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  string(MAKE_C_IDENTIFIER ${name} symbol)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const char ${symbol}_text[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", ${symbol}_text},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from starters/ by cmake/embed.cmake.\n#include \"cli/cli.h\"\n\n${arrays}\n"
     "const MrnStarter mrn_starters[] = {\n${rows}    {0, 0},\n};\n")
