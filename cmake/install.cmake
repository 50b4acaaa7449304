# Installation: library, headers, command, manual, gallery, and what other builds need to find the library.
include(CMakePackageConfigHelpers)

# Where gallery:NAME is looked for: this source tree, then the installed gallery. An installed command looks beside itself first.
set_property(SOURCE src/io/scene_files.c APPEND PROPERTY COMPILE_DEFINITIONS
             MORAINE_GALLERY_DIRS="${CMAKE_SOURCE_DIR}/gallery","${CMAKE_INSTALL_FULL_DATADIR}/moraine/gallery")

install(TARGETS moraine EXPORT moraine-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/moraine DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/gallery DESTINATION ${CMAKE_INSTALL_DATADIR}/moraine OPTIONAL)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET moraine-cli)
  install(TARGETS moraine-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${CMAKE_BINARY_DIR}/moraine.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${CMAKE_BINARY_DIR}/completion/moraine DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

# pkg-config. A static library needs its own libraries named wherever it is linked, a shared one does not.
set(PC_MODULES "libfyaml jansson hdf5 zlib")
set(PC_LIBRARIES "")
foreach(library ${HDF5_HL_LIBRARY} ${FCLIB_LIBRARY} ${CHOLMOD_LIBRARY} ${LAPACKE_LIBRARY} ${BLAS_LIBRARY})
  get_filename_component(directory ${library} DIRECTORY)
  get_filename_component(name ${library} NAME_WE)
  string(REGEX REPLACE "^lib" "" name ${name})
  if(NOT directory IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES AND NOT directory STREQUAL "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
    string(APPEND PC_LIBRARIES " -L${directory}")
  endif()
  string(APPEND PC_LIBRARIES " -l${name}")
endforeach()
string(APPEND PC_LIBRARIES " -lm -pthread")
if(CAIRO_FOUND)
  string(APPEND PC_MODULES " cairo")
endif()
if(NETCDF_FOUND)
  string(APPEND PC_MODULES " netcdf")
endif()
if(MORAINE_SANITIZE)
  string(APPEND PC_LIBRARIES " -fsanitize=${MORAINE_SANITIZE}")
endif()
get_target_property(MORAINE_LIBRARY_TYPE moraine TYPE)
if(MORAINE_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY")
  set(PC_PRIVATE ".private")
endif()
file(RELATIVE_PATH PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${CMAKE_SOURCE_DIR}/cmake/moraine.pc.in ${CMAKE_BINARY_DIR}/moraine.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/moraine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# CMake package: find_package(moraine) gives moraine::moraine.
set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/moraine)
install(EXPORT moraine-targets NAMESPACE moraine:: DESTINATION ${PACKAGE_DIR})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/moraine-config.cmake.in ${CMAKE_BINARY_DIR}/moraine-config.cmake
                              INSTALL_DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/moraine-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/moraine-config.cmake ${CMAKE_BINARY_DIR}/moraine-config-version.cmake DESTINATION ${PACKAGE_DIR})
