# The libraries that kinformer depends on. Uses targets that the parent project already defines, and find_package for
# the rest. Reports everything that is missing in one message, with ways to get it.

# scripts/setup builds cpr into this prefix if the distribution does not package it.
list(PREPEND CMAKE_PREFIX_PATH "${PROJECT_SOURCE_DIR}/.deps/cpr")

set(kinformer_missing "")

# kinformer_dependency(PACKAGE TARGET MINIMUM DEBIAN_PACKAGE [find_package argument...]): a macro, because find_package
# sets variables that the caller needs.
macro(kinformer_dependency package target minimum debian_package)
  if(NOT TARGET ${target})
    find_package(${package} ${minimum} QUIET ${ARGN})
    if(NOT ${package}_FOUND)
      string(APPEND kinformer_missing "  ${package}")
      if(NOT "${minimum}" STREQUAL "")
        string(APPEND kinformer_missing " ${minimum} or newer")
      endif()
      if(${package}_CONSIDERED_VERSIONS)
        string(APPEND kinformer_missing ", found ${${package}_CONSIDERED_VERSIONS}")
      endif()
      string(APPEND kinformer_missing " (Debian: ${debian_package})\n")
    endif()
  endif()
endmacro()

kinformer_dependency(Threads Threads::Threads "" libc6-dev)
kinformer_dependency(nlohmann_json nlohmann_json::nlohmann_json 3.11 nlohmann-json3-dev)
kinformer_dependency(simdjson simdjson::simdjson 3.0 libsimdjson-dev)
kinformer_dependency(OpenSSL OpenSSL::SSL 3.0 libssl-dev)
kinformer_dependency(CURL CURL::libcurl 7.87 libcurl4-openssl-dev)
if(NOT TARGET yaml-cpp::yaml-cpp AND NOT TARGET yaml-cpp)  # 0.7 exports it without a namespace
  kinformer_dependency(yaml-cpp yaml-cpp::yaml-cpp 0.7 libyaml-cpp-dev)
endif()
if(KINFORMER_BUILD_APISERVER)
  kinformer_dependency(ZLIB ZLIB::ZLIB 1.2 zlib1g-dev)
  # Beast and Asio. Older versions do not compile as C++20 with g++ 12.
  kinformer_dependency(Boost Boost::headers 1.81 "libboost-dev, on Debian 12 libboost1.81-dev"
                       CONFIG COMPONENTS headers)
endif()
# cpr's package file accepts only its own exact version, so the minimum is checked here.
set(kinformer_cpr_minimum 1.12)
if(NOT TARGET cpr::cpr)
  find_package(cpr CONFIG QUIET)
endif()
if(NOT TARGET cpr::cpr)
  string(APPEND kinformer_missing "  cpr ${kinformer_cpr_minimum} or newer (Debian: libcpr-dev, or scripts/setup)\n")
elseif(cpr_VERSION AND cpr_VERSION VERSION_LESS kinformer_cpr_minimum)
  string(APPEND kinformer_missing "  cpr ${kinformer_cpr_minimum} or newer, found ${cpr_VERSION} "
                                  "(Debian: libcpr-dev, or scripts/setup)\n")
endif()

if(kinformer_missing)
  message(FATAL_ERROR "kinformer needs libraries that CMake did not find:\n${kinformer_missing}"
    "On Debian 12 or newer, run ${PROJECT_SOURCE_DIR}/scripts/setup. It installs the packages, builds cpr into "
    "${PROJECT_SOURCE_DIR}/.deps/cpr where the release has none, and kinformer finds it there.\n"
    "Elsewhere, install the libraries, and name the prefixes that CMake does not search by itself: "
    "-DCMAKE_PREFIX_PATH=/path/to/cpr")
endif()
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
