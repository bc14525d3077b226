# ccache, where the machine has it and nobody chose otherwise.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(KINFORMER_CCACHE ccache)
  if(KINFORMER_CCACHE)
    # It keeps sources that use precompiled headers only when it is told that their macros may be trusted.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        "${KINFORMER_CCACHE}")
  endif()
endif()
