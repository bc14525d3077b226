# kinformer_generate(TARGET name CRDS file|folder... [NAMESPACE ns])
#
# The static library `name` with typed structs for the kinds of CustomResourceDefinitions, as <name.h>. It links
# kinformer::kinformer. Of a folder, all *.yaml, *.yml and *.json are read. NAMESPACE is around the namespaces of groups
# and versions. When cross-compiling, set KINFORMER_GEN to a kinformer-gen that runs on the build machine.
function(kinformer_generate)
  cmake_parse_arguments(arg "" "TARGET;NAMESPACE" "CRDS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_TARGET OR NOT arg_CRDS)
    message(FATAL_ERROR "usage: kinformer_generate(TARGET name CRDS file|folder... [NAMESPACE ns])")
  endif()
  set(inputs "")
  set(files "")
  foreach(path IN LISTS arg_CRDS)
    get_filename_component(path "${path}" ABSOLUTE)
    list(APPEND inputs "${path}")
    if(IS_DIRECTORY "${path}")
      file(GLOB found CONFIGURE_DEPENDS "${path}/*.yaml" "${path}/*.yml" "${path}/*.json")
      list(APPEND files ${found})
    else()
      list(APPEND files "${path}")
    endif()
  endforeach()
  set(generator kinformer::gen)
  if(KINFORMER_GEN)
    set(generator "${KINFORMER_GEN}")
  endif()
  set(options "")
  if(arg_NAMESPACE)
    set(options --namespace "${arg_NAMESPACE}")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.generated")
  set(outputs "${folder}/${arg_TARGET}.h" "${folder}/${arg_TARGET}.cc")
  # The program leaves files as they are that do not change; CMake must see that it ran.
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${generator} --crd ${inputs} --out "${folder}" --name "${arg_TARGET}" ${options}
    COMMAND "${CMAKE_COMMAND}" -E touch ${outputs}
    DEPENDS ${files} ${generator}
    COMMENT "Generating the typed structs of ${arg_TARGET}"
    VERBATIM)
  add_library(${arg_TARGET} STATIC ${outputs})
  target_compile_features(${arg_TARGET} PUBLIC cxx_std_20)
  target_include_directories(${arg_TARGET} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  target_link_libraries(${arg_TARGET} PUBLIC kinformer::kinformer)
endfunction()
