# -DKINFORMER_PRECOMPILE=ON: precompiles the third-party headers that most sources include. Off by default, so that some
# builds still verify that every source includes what it uses.
option(KINFORMER_PRECOMPILE "Precompile the headers of the standard library, nlohmann_json and GoogleTest" OFF)
if(NOT PROJECT_IS_TOP_LEVEL)
  set(KINFORMER_PRECOMPILE OFF)
endif()

set(kinformer_precompiled_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <cstdint> <deque> <functional> <map> <memory>
  <mutex> <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <thread> <unordered_map> <utility>
  <variant> <vector> <nlohmann/json.hpp>)

if(KINFORMER_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Makes precompiled headers reproducible; otherwise a compiler cache would never hit.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

# kinformer_precompile(TARGET): for a library.
function(kinformer_precompile target)
  if(NOT KINFORMER_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET kinformer_precompiled)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled.cc" CONTENT "")
    add_library(kinformer_precompiled OBJECT "${PROJECT_BINARY_DIR}/precompiled.cc")
    target_link_libraries(kinformer_precompiled PRIVATE nlohmann_json::nlohmann_json)
    target_precompile_headers(kinformer_precompiled PRIVATE ${kinformer_precompiled_headers})
    kinformer_warnings(kinformer_precompiled)
  endif()
  target_precompile_headers(${target} REUSE_FROM kinformer_precompiled)
endfunction()

# kinformer_precompile_test(TARGET): for a test program.
function(kinformer_precompile_test target)
  if(NOT KINFORMER_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET kinformer_test_precompiled)
    # An executable, because compilers generate different code for executables and libraries.
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled_test.cc" CONTENT "int main() {}\n")
    add_executable(kinformer_test_precompiled "${PROJECT_BINARY_DIR}/precompiled_test.cc")
    target_link_libraries(kinformer_test_precompiled PRIVATE nlohmann_json::nlohmann_json GTest::gmock GTest::gtest)
    target_precompile_headers(kinformer_test_precompiled PRIVATE ${kinformer_precompiled_headers} <gmock/gmock.h>
                              <gtest/gtest.h>)
    kinformer_test_options(kinformer_test_precompiled)
  endif()
  target_precompile_headers(${target} REUSE_FROM kinformer_test_precompiled)
endfunction()
