# Uses ccache if it is installed and no other launcher is set.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(KINFORMER_CCACHE ccache)
  if(KINFORMER_CCACHE)
    # Without this, ccache does not cache sources that use precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        "${KINFORMER_CCACHE}")
  endif()
endif()
