# ccache, where the machine has it and nobody chose otherwise.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(KINFORMER_CCACHE ccache)
  if(KINFORMER_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${KINFORMER_CCACHE}")
  endif()
endif()
