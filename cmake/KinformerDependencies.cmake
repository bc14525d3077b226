# scripts/setup builds cpr into this prefix where the distribution has none.
list(PREPEND CMAKE_PREFIX_PATH "${CMAKE_CURRENT_SOURCE_DIR}/.deps/cpr")

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(simdjson 3.0 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(CURL 7.87 REQUIRED)
find_package(ZLIB 1.2 REQUIRED)
# Beast and Asio; older ones do not compile as C++20 with g++ 12.
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers)
find_package(cpr CONFIG REQUIRED)
if(cpr_VERSION VERSION_LESS 1.12)  # its package file accepts only one exact version, so the minimum is checked here
  message(FATAL_ERROR "cpr 1.12 or newer is needed; found ${cpr_VERSION}. scripts/setup builds it.")
endif()
find_package(yaml-cpp 0.7 REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)  # 0.7 exports it without a namespace
endif()
