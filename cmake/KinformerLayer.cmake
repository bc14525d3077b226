# Warnings for code of ours.
function(kinformer_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(KINFORMER_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wthread-safety)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Where it inlines, g++ sees overlapping copies in `"literal" + std::string&&` and uninitialised values in an empty
    # std::optional that nobody reads (GCC 105329, 80635). The sanitizers look for the real ones.
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
  endif()
endfunction()

# kinformer_layer(NAME [LINKS layer...] [THIRD_PARTY target...])
#
# A folder of src/ as a target: kinformer_meta for meta, kinformer_apiserver_storage for apiserver/storage. Internal
# headers are included as "src/<folder>/x.h", public ones as <kinformer/<folder>/x.h>. THIRD_PARTY stays private to the
# folder. Those below apiserver/ go into a library of their own.
function(kinformer_layer folder)
  cmake_parse_arguments(arg "" "" "LINKS;THIRD_PARTY" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc")
  string(REPLACE "/" "_" name "${folder}")
  string(REPLACE "/" "_" arg_LINKS "${arg_LINKS}")
  add_library(kinformer_${name} STATIC ${sources})
  target_include_directories(kinformer_${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
  foreach(layer IN LISTS arg_LINKS)
    target_link_libraries(kinformer_${name} PUBLIC kinformer_${layer})
  endforeach()
  target_link_libraries(kinformer_${name} PRIVATE ${arg_THIRD_PARTY})
  kinformer_warnings(kinformer_${name})
  kinformer_precompile(kinformer_${name})
  if(folder MATCHES "^(apiserver|testing)")
    set(property KINFORMER_APISERVER)
  else()
    set(property KINFORMER)
  endif()
  set_property(GLOBAL APPEND PROPERTY ${property}_LAYERS ${name})
  set_property(GLOBAL APPEND PROPERTY ${property}_THIRD_PARTY ${arg_THIRD_PARTY})
endfunction()
