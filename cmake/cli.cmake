# What the command is made of besides its sources: the list of parts, the starter scenes, the manual page and completion.

# Parts of this build, for `moraine --version`: name, version or NULL, purpose.
function(moraine_part name found version purpose)
  if(NOT ${found})
    set(text NULL)
  elseif(version)
    set(text "\"${version}\"")
  else()
    set(text "\"yes\"")
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY MORAINE_PARTS "X(\"${name}\", ${text}, \"${purpose}\")\n")
endfunction()
moraine_part("HDF5" HDF5_FOUND "${HDF5_VERSION}" "run files")
moraine_part("FCLIB" FCLIB_LIBRARY "" "reading and writing one-step problems")
moraine_part("libfyaml" FYAML_FOUND "${FYAML_VERSION}" "scenes")
moraine_part("jansson" JANSSON_FOUND "${JANSSON_VERSION}" "JSON")
moraine_part("CHOLMOD" CHOLMOD_LIBRARY "" "sparse direct solves")
moraine_part("OpenBLAS" BLAS_LIBRARY "" "dense linear algebra")
moraine_part("cairo" CAIRO_FOUND "${CAIRO_VERSION}" "pictures and plots (optional)")
moraine_part("netCDF" NETCDF_FOUND "${NETCDF_VERSION}" "wind and current from files (optional)")
include(cmake/viewer.cmake)
get_property(parts GLOBAL PROPERTY MORAINE_PARTS)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/moraine_parts.h CONTENT "${parts}")

file(GLOB STARTERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/starters/*.yaml)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/generated/starters.c
  COMMAND ${CMAKE_COMMAND} -D OUTPUT=${CMAKE_BINARY_DIR}/generated/starters.c "-DFILES=${STARTERS}" -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${STARTERS} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
  VERBATIM)
target_sources(moraine-cli PRIVATE ${CMAKE_BINARY_DIR}/generated/starters.c)
target_include_directories(moraine-cli PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(moraine-cli PRIVATE PkgConfig::HDF5)

add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/moraine.1 ${CMAKE_BINARY_DIR}/completion/moraine
  COMMAND ${CMAKE_COMMAND} -E make_directory completion
  COMMAND moraine-cli help --man > moraine.1
  COMMAND moraine-cli help --bash-completion > completion/moraine
  DEPENDS moraine-cli
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  VERBATIM)
add_custom_target(moraine-manual ALL DEPENDS ${CMAKE_BINARY_DIR}/moraine.1 ${CMAKE_BINARY_DIR}/completion/moraine)
