# scripts/setup builds cpr into this prefix where the distribution has none.
list(PREPEND CMAKE_PREFIX_PATH "${CMAKE_CURRENT_SOURCE_DIR}/.deps/cpr")

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(simdjson 3.0 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(CURL 7.87 REQUIRED)
find_package(cpr 1.12 REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)  # 0.7 exports it without a namespace
endif()
