# -DKINFORMER_UNITY=N: compiles up to N sources of a target as one, so that the headers and templates they share are
# compiled once. 0 (the default): each source by itself, which verifies that it includes what it uses.
set(KINFORMER_UNITY 0 CACHE STRING "Sources of a target to compile as one; 0: each by itself")

# kinformer_unity(TARGET)
function(kinformer_unity target)
  if(NOT KINFORMER_UNITY GREATER 1)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${KINFORMER_UNITY})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A class of an included source looks like one of a header, which must not have members of local types.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
