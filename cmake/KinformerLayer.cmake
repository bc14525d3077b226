# Compiler warnings for our own code.
function(kinformer_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(KINFORMER_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wthread-safety)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False positives of g++ after inlining: overlapping copies in `"literal" + std::string&&`, uninitialised values in
    # an empty std::optional that is never read. The sanitizers would find real ones.
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
  endif()
endfunction()

# kinformer_layer(NAME [LINKS layer...] [THIRD_PARTY target...])
#
# A folder of src/ as a target: kinformer_meta for meta, kinformer_listwatch_storage for listwatch/storage. Internal
# headers are included as "src/<folder>/x.h", public ones as <kinformer/<folder>/x.h>. THIRD_PARTY is private to the
# folder. ${kinformer_component} is the library that the folder becomes a part of: KINFORMER or KINFORMER_APISERVER.
function(kinformer_layer folder)
  cmake_parse_arguments(arg "" "" "LINKS;THIRD_PARTY" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc")
  string(REPLACE "/" "_" name "${folder}")
  string(REPLACE "/" "_" arg_LINKS "${arg_LINKS}")
  add_library(kinformer_${name} STATIC ${sources})
  target_compile_features(kinformer_${name} PUBLIC cxx_std_20)
  set_target_properties(kinformer_${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_include_directories(kinformer_${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
  foreach(layer IN LISTS arg_LINKS)
    target_link_libraries(kinformer_${name} PUBLIC kinformer_${layer})
  endforeach()
  target_link_libraries(kinformer_${name} PRIVATE ${arg_THIRD_PARTY})
  kinformer_warnings(kinformer_${name})
  kinformer_precompile(kinformer_${name})
  kinformer_unity(kinformer_${name})
  set_property(GLOBAL APPEND PROPERTY ${kinformer_component}_LAYERS ${name})
  set_property(GLOBAL APPEND PROPERTY ${kinformer_component}_THIRD_PARTY ${arg_THIRD_PARTY})
endfunction()
