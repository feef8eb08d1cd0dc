# Compiler settings and the functions that every folder of src/ and apps/ uses.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -Werror)
# A program depends only on the libraries that it calls.
add_link_options(-Wl,--as-needed)

# Hardening of everything that is built; tests/cases/test_hardening.py checks the results. Debug builds, which the sanitizers
# use, have no fortified functions.
set(is_executable $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
set(is_independent $<OR:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>,$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>)
add_compile_options(-fstack-protector-strong -fstack-clash-protection)
# The portable compiler makes position-independent code for glibc by itself, also for the sampler's library.
if(NOT SPARKPROF_PORTABLE OR SPARKPROF_MUSL)
  add_compile_options($<$<NOT:${is_independent}>:-fPIE>)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64")
  add_compile_options(-fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  add_compile_options(-mbranch-protection=standard)
endif()
add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
add_link_options($<${is_executable}:-pie> -Wl,-z,relro,-z,now -Wl,-z,noexecstack)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this, ccache compiles what includes a precompiled header each time.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

if(SPARKPROF_PORTABLE)
  # Programs and debug information name sources the same wherever they were compiled. -g1: functions and lines.
  add_compile_options(-g1 -ffile-prefix-map=${SPARKPROF_PORTABLE}=libraries -ffile-prefix-map=${CMAKE_BINARY_DIR}=build
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}=sparkprof)
  if(SPARKPROF_MUSL)
    include_directories(BEFORE ${CMAKE_SOURCE_DIR}/cmake/portable/musl)
    # musl's threads have stacks of 128 KiB unless the program names a size.
    add_link_options($<${is_executable}:-Wl,-z,stack-size=8388608>)
  endif()
  add_subdirectory(cmake/portable)
  include_directories(SYSTEM ${SPARKPROF_PORTABLE}/include)
  # Clang also reports a name of another file that is compiled in the same batch as shadowed.
  add_compile_options(-ffunction-sections -fdata-sections -Wno-shadow)
  # scripts/dist moves the debug information into files of its own.
  add_link_options(-Wl,--gc-sections -Wl,--build-id=sha1)
else()
  include(system_libraries)
endif()
find_package(Threads REQUIRED)
if(SPARKPROF_TESTS)
  find_package(GTest REQUIRED)
  enable_testing()
  include(GoogleTest)
endif()

# sparkprof_library(NAME [GENERATED …] [LINKS …] [TEST_LINKS …])
# One static library of all *.cc below the current folder, but for those in testing/. LINKS names every library whose
# headers it includes; a header of any other library is not found. Its *_test.cc become NAME_test, one ctest test for
# each gtest case, and may include TEST_LINKS too.
function(sparkprof_library name)
  cmake_parse_arguments(ARG "" "" "GENERATED;LINKS;TEST_LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  list(FILTER sources EXCLUDE REGEX /testing/)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX _test\\.cc$)
  list(FILTER sources EXCLUDE REGEX _test\\.cc$)
  add_library(${name} STATIC ${sources} ${ARG_GENERATED})
  # A folder with nothing in it but a link to this library's folder, so that "base/io/file.h" is found by those who link
  # base, and by nobody else.
  set(headers ${CMAKE_BINARY_DIR}/headers/${name})
  file(MAKE_DIRECTORY ${headers})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${headers}/${name} SYMBOLIC)
  target_include_directories(${name} PUBLIC ${headers})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS})
  if(tests)
    sparkprof_test(${name}_test SOURCES ${tests} LINKS ${name} ${ARG_LINKS} ${ARG_TEST_LINKS})
  endif()
endfunction()

# sparkprof_tables(FOLDER HEADER SYMBOL)
# Writes tables.cc, to be named among what is GENERATED: the files *.tsv of a folder of the repository, one after the other, as the
# text SYMBOL, which HEADER declares.
function(sparkprof_tables folder header symbol)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.tsv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(TABLES "")
  foreach(name ${files})
    file(READ ${name} content)
    string(APPEND TABLES "${content}")
  endforeach()
  set(TABLES_HEADER ${header})
  set(TABLES_SYMBOL ${symbol})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/tables.cc.in tables.cc @ONLY)
endfunction()

# -O1 instead of -O2 in builds from source, and -Os in packages, for code that does not look at every byte of large inputs: it
# compiles in 75% of the time, makes the wheel smaller, and no command became measurably slower.
function(sparkprof_optimize_lightly name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1> $<$<CONFIG:Release>:-Os>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # At -O1, GCC does not see that the value of an optional is only read where there is one.
    target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-Wno-maybe-uninitialized>)
  endif()
endfunction()

# Without optimization and debug information a test compiles in 60% of the time, and it runs for a few milliseconds only.
# With -pthread, which some libraries ask for, all tests have the flags of the precompiled header.
function(sparkprof_compile_quickly name)
  target_compile_options(${name} PRIVATE -pthread)
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0> $<$<CONFIG:RelWithDebInfo>:-g0>)
  # Fortified functions need optimization.
  target_compile_options(${name} PRIVATE SHELL:-U_FORTIFY_SOURCE)
endfunction()

# The headers that nearly every test includes, compiled once.
if(SPARKPROF_TESTS)
  add_library(test_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/test_headers.cc)
  target_link_libraries(test_headers PRIVATE GTest::gtest)
  target_precompile_headers(test_headers PRIVATE
    <gtest/gtest.h> <algorithm> <filesystem> <fstream> <functional> <map> <string> <thread> <vector>)
  sparkprof_compile_quickly(test_headers)

  add_library(source_file STATIC ${CMAKE_SOURCE_DIR}/src/base/testing/source_file.cc)
  target_compile_definitions(source_file PRIVATE SPARKPROF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_include_directories(source_file PRIVATE ${CMAKE_SOURCE_DIR}/src)
endif()

# sparkprof_test(NAME SOURCES … LINKS …): nothing where tests are not built.
function(sparkprof_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  if(NOT SPARKPROF_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  # Tests give their helpers the same names.
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} source_file GTest::gtest GTest::gtest_main)
  sparkprof_compile_quickly(${name})
  target_precompile_headers(${name} REUSE_FROM test_headers)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()
