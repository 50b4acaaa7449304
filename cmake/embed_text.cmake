# Turn text files into C strings: cmake -D OUTPUT=x.c -D PREFIX=mrn_ -D FILES="a.css;b.js" -P embed_text.cmake
# gives `const char mrn_a_css[]`.
set(code "// Made by cmake/embed_text.cmake.\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} symbol)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND code "extern const char ${PREFIX}${symbol}[];\nconst char ${PREFIX}${symbol}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${code}")
