#ifndef KINFORMER_TEST_DOCS_WORLD_H_
#define KINFORMER_TEST_DOCS_WORLD_H_

// What every documentation snippet may assume: see test/docs/README.md.

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <kinformer/kinformer.h>
#include <kinformer/testing/api_server.h>
#include <nlohmann/json.hpp>

namespace ki = kinformer;

namespace docs {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): as the documentation says
using ki::core::v1::Pod;

/// The environment of a snippet: an API server with the objects that the documentation uses.
///
/// namespace default: pods web-0 (app=web, on node-7, Ready) and web-1 (app=web, on node-8, Pending), deployment web
/// with one replica.
class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  ki::SharedInformerFactory& Factory();
  /// An informer of all pods, started and synced.
  ki::SharedIndexInformer<Pod> Pods();
  /// Serves the kind Web of example.com/v1, with an object default/shop.
  void InstallWebs();
  /// Succeeds if the snippet ended as its directive says: without an error, or with one of that code.
  ::testing::AssertionResult Ends(const ki::Result<void>& result, std::optional<ki::ErrorCode> with) const;

  ki::testing::ApiServer server;
  const ki::Client client;
  /// Requested by the first call of Handle.
  std::stop_source stop;

 private:
  std::unique_ptr<ki::SharedInformerFactory> factory_;
};

/// Stands in for the reader's own code: requests the snippet's stop.
void Handled();
template <typename... Arguments>
void Handle(const Arguments&... /*arguments*/) {
  Handled();
}
template <typename... Arguments>
void Use(const Arguments&... /*arguments*/) {}

/// The CustomResourceDefinition of Web.
extern const char kWebs[];

}  // namespace docs

// Declarations for a directive's "with NAME".
#define DOCS_WITH_client [[maybe_unused]] const ki::Client& client = world.client
#define DOCS_WITH_stop [[maybe_unused]] const std::stop_token stop = world.stop.get_token()
#define DOCS_WITH_server [[maybe_unused]] ki::testing::ApiServer& server = world.server
#define DOCS_WITH_factory [[maybe_unused]] ki::SharedInformerFactory& factory = world.Factory()
#define DOCS_WITH_pods [[maybe_unused]] const ki::SharedIndexInformer<Pod> pods = world.Pods()
#define DOCS_WITH_webs world.InstallWebs()
#define DOCS_WITH_pod [[maybe_unused]] const Pod pod = world.client.For<Pod>().Get({"default", "web-0"}).value()
#define DOCS_WITH_list [[maybe_unused]] const auto list = world.client.For<Pod>().List().value()

#endif  // KINFORMER_TEST_DOCS_WORLD_H_
