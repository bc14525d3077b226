#ifndef KINFORMER_TEST_APISERVER_SERVER_SERVER_FIXTURE_H_
#define KINFORMER_TEST_APISERVER_SERVER_SERVER_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/client/client.h>
#include <kinformer/views/apps_v1.h>
#include <kinformer/views/core_v1.h>

#include "test/support/await.h"

namespace kinformer {

using testing_support::Await;

inline ObjectPtr Parsed(const nlohmann::json& json) { return Object::FromJson(json).value(); }

inline ObjectPtr ConfigMap(const std::string& name, const std::string& value = "1",
                           const std::string& namespace_name = "default") {
  return Parsed({{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata", {{"name", name}, {"namespace", namespace_name}, {"labels", {{"value", value}}}}},
                 {"data", {{"value", value}}}});
}

inline ObjectPtr Pod(const std::string& name, const std::string& node = "",
                     const std::string& namespace_name = "default") {
  nlohmann::json spec = {{"containers", {{{"name", "main"}, {"image", "nginx"}}}}};
  if (!node.empty()) spec["nodeName"] = node;
  return Parsed({{"apiVersion", "v1"},
                 {"kind", "Pod"},
                 {"metadata", {{"name", name}, {"namespace", namespace_name}}},
                 {"spec", spec}});
}

/// The next event as "ADDED default/a", "BOOKMARK" or "ERROR 410"; "END" at the end; else the error's text.
inline std::string NextLine(WatchStream& watch) {
  const Result<std::optional<WatchEvent>> event = watch.Next();
  if (!event) return ToString(event.error());
  if (!*event) return "END";
  const WatchEvent& e = **event;
  std::string line(ToString(e.type));
  if (e.type == WatchEventType::kError) return line + " " + std::to_string(e.error.http_status);
  if (e.type == WatchEventType::kBookmark) {
    return e.object->Annotations().Contains("k8s.io/initial-events-end") ? line + " initial-events-end" : line;
  }
  return line + " " + ToString(e.object->Key());
}

/// A new server for each test, and a client with the administrator's token.
class ServerTest : public ::testing::Test {
 protected:
  void StartServer(ApiServerOptions options = {}) {
    client_.reset();
    server_ = std::make_unique<ApiServer>(std::move(options));
    const Result<void> started = server_->Start();
    ASSERT_TRUE(started) << ToString(started.error());
    client_ = std::make_unique<Client>(Client::Create(server_->ClientConfig(), {.max_retries = 0}).value());
  }
  void TearDown() override {
    client_.reset();
    server_.reset();
  }

  ResourceClient ConfigMaps() const { return client_->For<core::v1::ConfigMap>().Untyped(); }
  ResourceClient Pods() const { return client_->For<core::v1::Pod>().Untyped(); }
  ResourceClient Deployments() const { return client_->For<apps::v1::Deployment>().Untyped(); }
  ResourceClient Namespaces() const { return client_->For<core::v1::Namespace>().Untyped(); }

  /// Sends a request for this path, by default a GET.
  Result<RawResponse> Raw(const std::string& target, const std::string& method = "GET", const std::string& body = "",
                          std::vector<std::pair<std::string, std::string>> headers = {}) const {
    Request request{.method = method, .target = target};
    request.headers = std::move(headers);
    request.body = body;
    return client_->Raw(std::move(request));
  }
  /// All values of a header, in order.
  static std::vector<std::string> HeaderValues(const RawResponse& response, const std::string& name) {
    std::vector<std::string> values;
    for (const auto& [key, value] : response.head.headers) {
      const bool same =
          key.size() == name.size() && std::equal(key.begin(), key.end(), name.begin(), [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
          });
      if (same) values.push_back(value);
    }
    return values;
  }
  nlohmann::json RawJson(const std::string& target) const {
    const Result<RawResponse> response = Raw(target);
    if (!response) return ToString(response.error());
    return nlohmann::json::parse(response->body, nullptr, false);
  }

  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<Client> client_;
};

}  // namespace kinformer

#endif  // KINFORMER_TEST_APISERVER_SERVER_SERVER_FIXTURE_H_
