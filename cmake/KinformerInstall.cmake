# The libraries that users link, and their CMake package. Each library contains the objects of all its layers, and of
# cpr, so that consumers need neither cpr nor this build tree.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(kinformer_layers GLOBAL PROPERTY KINFORMER_LAYERS)
get_property(kinformer_third_party GLOBAL PROPERTY KINFORMER_THIRD_PARTY)
list(REMOVE_DUPLICATES kinformer_third_party)
file(GLOB_RECURSE kinformer_public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/kinformer/*.h")
# The API server is a separate library.
get_property(kinformer_apiserver_layers GLOBAL PROPERTY KINFORMER_APISERVER_LAYERS)
set(kinformer_apiserver_headers ${kinformer_public_headers})
list(FILTER kinformer_public_headers EXCLUDE REGEX "/include/kinformer/(apiserver|testing)/")
list(FILTER kinformer_apiserver_headers INCLUDE REGEX "/include/kinformer/(apiserver|testing)/")

# A shared cpr cannot be merged into our library and stays a dependency.
get_target_property(kinformer_cpr_type cpr::cpr TYPE)
if(kinformer_cpr_type STREQUAL "SHARED_LIBRARY")
  set(kinformer_cpr_inside FALSE)
else()
  set(kinformer_cpr_inside TRUE)
endif()

# kinformer_apiserver_library(TARGET TYPE BASE): the API server on top of the library BASE. Only Boost headers are used,
# so consumers do not need Boost.
function(kinformer_apiserver_library target type base)
  add_library(${target} ${type})
  foreach(layer IN LISTS kinformer_apiserver_layers)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:kinformer_${layer}>)
  endforeach()
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME kinformer-apiserver EXPORT_NAME apiserver LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include"
                                  FILES ${kinformer_apiserver_headers})
  target_link_libraries(${target} PUBLIC ${base} nlohmann_json::nlohmann_json
                                  PRIVATE yaml-cpp::yaml-cpp OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB Threads::Threads)
  if(type STREQUAL "SHARED" AND NOT KINFORMER_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
endfunction()

# kinformer_package(TARGET TYPE SUFFIX [EXCLUDE_FROM_ALL]): the libraries and, with KINFORMER_INSTALL, two install
# components: sdk${SUFFIX}, the SDK with its headers, kinformer-gen and the package files, and apiserver${SUFFIX}, the API server's
# library and headers and the program kinformer-apiserver; it needs the first. EXCLUDE_FROM_ALL: installed only if the
# component is requested.
function(kinformer_package target type suffix)
  add_library(${target} ${type})
  foreach(layer IN LISTS kinformer_layers)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:kinformer_${layer}>)
  endforeach()
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME kinformer EXPORT_NAME kinformer LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include"
                                  FILES ${kinformer_public_headers})

  set(libraries ${kinformer_third_party})
  if(kinformer_cpr_inside AND type STREQUAL "STATIC")
    list(REMOVE_ITEM libraries cpr::cpr)
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ${CMAKE_COMMAND} "-DAR=${CMAKE_AR}" "-DINTO=$<TARGET_FILE:${target}>" "-DFROM=$<TARGET_FILE:cpr::cpr>"
              -P "${PROJECT_SOURCE_DIR}/cmake/MergeArchive.cmake"
      VERBATIM)
  elseif(kinformer_cpr_inside)
    # A program may link its own cpr: ours must not be visible to it.
    target_link_options(${target} PRIVATE "LINKER:--exclude-libs,$<TARGET_FILE_NAME:cpr::cpr>")
  endif()
  # Public headers include nlohmann/json_fwd.hpp and nothing of the other libraries.
  list(REMOVE_ITEM libraries nlohmann_json::nlohmann_json)
  target_link_libraries(${target} PUBLIC nlohmann_json::nlohmann_json PRIVATE ${libraries})
  if(type STREQUAL "SHARED" AND NOT KINFORMER_SANITIZE)  # sanitizer runtimes are linked into the program only
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()

  if(KINFORMER_BUILD_APISERVER)
    kinformer_apiserver_library(${target}_server ${type} ${target})
  endif()
  if(NOT KINFORMER_INSTALL)
    return()
  endif()

  # Consumers must find what the libraries link. The package name is the part of the target before "::".
  set(dependencies nlohmann_json)
  set(KINFORMER_APISERVER_DEPENDENCIES "")
  if(type STREQUAL "STATIC")
    list(TRANSFORM libraries REPLACE "::.*" "" OUTPUT_VARIABLE packages)
    list(APPEND dependencies ${packages})
    list(REMOVE_DUPLICATES dependencies)
    set(KINFORMER_APISERVER_DEPENDENCIES ZLIB)  # besides those of the SDK
  endif()
  set(KINFORMER_DEPENDENCIES "")
  foreach(package IN LISTS dependencies)
    string(APPEND KINFORMER_DEPENDENCIES "find_dependency(${package})\n")
  endforeach()

  set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kinformer")
  set(generated_dir "${PROJECT_BINARY_DIR}/package/${target}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/kinformerConfig.cmake.in"
    "${generated_dir}/kinformerConfig.cmake" INSTALL_DESTINATION "${package_dir}"
    NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file("${generated_dir}/kinformerConfigVersion.cmake"
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)

  # Named by the target: CMake keeps one generated file of a name and destination per build.
  set(install_options COMPONENT sdk${suffix} ${ARGN})
  install(TARGETS ${target} kinformer-gen EXPORT ${target}Targets
    ARCHIVE ${install_options} LIBRARY ${install_options} RUNTIME ${install_options}
    FILE_SET HEADERS ${install_options})
  install(EXPORT ${target}Targets NAMESPACE kinformer:: FILE ${target}Targets.cmake
    DESTINATION "${package_dir}" ${install_options})
  install(FILES "${generated_dir}/kinformerConfig.cmake" "${generated_dir}/kinformerConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/KinformerGenerate.cmake"
    DESTINATION "${package_dir}" ${install_options})
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" ${install_options})

  if(KINFORMER_BUILD_APISERVER)
    set(install_options COMPONENT apiserver${suffix} ${ARGN})
    install(TARGETS kinformer-apiserver RUNTIME ${install_options})
    install(TARGETS ${target}_server EXPORT ${target}ApiserverTargets
      ARCHIVE ${install_options} LIBRARY ${install_options} RUNTIME ${install_options}
      FILE_SET HEADERS ${install_options})
    install(EXPORT ${target}ApiserverTargets NAMESPACE kinformer:: FILE ${target}ApiserverTargets.cmake
      DESTINATION "${package_dir}" ${install_options})
  endif()
endfunction()

if(BUILD_SHARED_LIBS)
  set(kinformer_type SHARED)
  set(kinformer_other_type STATIC)
else()
  set(kinformer_type STATIC)
  set(kinformer_other_type SHARED)
endif()

kinformer_package(kinformer ${kinformer_type} "")
add_library(kinformer::kinformer ALIAS kinformer)
if(KINFORMER_BUILD_APISERVER)
  add_library(kinformer::apiserver ALIAS kinformer_server)
endif()

if(KINFORMER_BUILD_TESTS AND NOT KINFORMER_SANITIZE AND NOT KINFORMER_COVERAGE)
  # Every public header must compile on its own.
  set_target_properties(kinformer kinformer_server PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  add_custom_target(kinformer_headers_alone ALL)
  add_dependencies(kinformer_headers_alone kinformer_verify_interface_header_sets
                   kinformer_server_verify_interface_header_sets)
  # The other library type, from the same objects: only for testing the installed package.
  kinformer_package(kinformer_other ${kinformer_other_type} _other EXCLUDE_FROM_ALL)
endif()
