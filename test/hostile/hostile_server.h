#ifndef KINFORMER_TEST_HOSTILE_HOSTILE_SERVER_H_
#define KINFORMER_TEST_HOSTILE_HOSTILE_SERVER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/client/client.h>
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/views/core_v1.h>

#include "test/support/scripted_server.h"

namespace kinformer {

/// Everything a client logged.
class LogLines {
 public:
  Logger logger() {
    return Logger(
        [this](const LogRecord& record) {
          std::string line(record.message);
          for (const LogField& field : record.fields) line += " " + std::string(field.key) + "=" + field.value;
          const std::lock_guard lock(mutex_);
          lines_.push_back(std::move(line));
        },
        LogLevel::kDebug);
  }
  std::vector<std::string> Get() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

inline nlohmann::json PodJson(const std::string& name, const std::string& version,
                              const std::string& namespace_name = "default") {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name}, {"namespace", namespace_name}, {"uid", "u-" + name}, {"resourceVersion", version}}}};
}

inline std::string PodList(const std::string& version, const std::vector<nlohmann::json>& items) {
  return nlohmann::json{
      {"kind", "PodList"}, {"apiVersion", "v1"}, {"metadata", {{"resourceVersion", version}}}, {"items", items}}
      .dump();
}

inline std::string EventLine(const std::string& type, const nlohmann::json& object) {
  return nlohmann::json{{"type", type}, {"object", object}}.dump() + "\n";
}

/// A TLS server scripted by the test, and a client that sends it a token. Checks at the end that the token is in no log
/// line.
class HostileServerTest : public ::testing::Test {
 public:
  ~HostileServerTest() override {
    for (const std::string& line : log_.Get()) EXPECT_EQ(line.find(kToken), std::string::npos) << line;
  }

 protected:
  static constexpr std::string_view kToken = "s3cret";

  explicit HostileServerTest(ClientOptions options = {.max_retries = 0}) : server_({.tls = true}) {
    options.logger = log_.logger();
    options_ = options;
    client_ = std::make_unique<Client>(NewClient(options));
  }

  Client NewClient(const ClientOptions& options) const {
    return Client::Create({.server = server_.url(), .ca_data = server_.ca_pem(), .token = Secret(std::string(kToken))},
                          options)
        .value();
  }
  TypedClient<core::v1::Pod> Pods() const { return client_->For<core::v1::Pod>(); }

  /// The same client still gets a correct answer after the failure.
  void ExpectRecovery() {
    server_.Handle([](const testing_support::ReceivedRequest&) {
      return testing_support::Reply::Json(PodJson("good", "9").dump());
    });
    const auto pod = Pods().Get({"default", "good"});
    EXPECT_TRUE(pod.ok()) << ToString(pod.error());
  }

  /// The error of a Get of a pod that receives this reply.
  Error ErrorOfGet(testing_support::Reply reply) {
    server_.Enqueue(std::move(reply));
    const auto pod = Pods().Get({"default", "a"});
    if (pod.ok()) return Error{.message = "no error"};
    EXPECT_EQ(ToString(pod.error()).find(kToken), std::string::npos) << ToString(pod.error());
    EXPECT_LT(ToString(pod.error()).size(), 20'000U);
    return pod.error();
  }
  Error ErrorOfList(testing_support::Reply reply) {
    server_.Enqueue(std::move(reply));
    const auto list = Pods().List({.namespace_name = "default"});
    if (list.ok()) return Error{.message = "no error"};
    EXPECT_EQ(ToString(list.error()).find(kToken), std::string::npos) << ToString(list.error());
    EXPECT_LT(ToString(list.error()).size(), 20'000U);
    return list.error();
  }

  LogLines log_;
  ClientOptions options_;
  testing_support::ScriptedServer server_;
  std::unique_ptr<Client> client_;
};

/// Replies that send the same bytes over and over, until the client gives up; counts the bytes. The replies may outlive
/// this object: the server may still be writing when the client has its error.
class Endless {
 public:
  testing_support::Reply Raw(std::string begin, std::string again) {
    return {
        .before = [sent = sent_, begin = std::move(begin), again = std::move(again)](testing_support::BodyWriter& out) {
          if (!out.WriteRaw(begin)) return false;
          while (out.WriteRaw(again)) *sent += again.size();
          return false;
        }};
  }
  testing_support::Reply Body(std::string begin, std::string again) {
    return {
        .stream = [sent = sent_, begin = std::move(begin), again = std::move(again)](testing_support::BodyWriter& out) {
          if (!out.Write(begin)) return false;
          while (out.Write(again)) *sent += again.size();
          return false;
        }};
  }
  std::size_t sent() const { return *sent_; }

 private:
  const std::shared_ptr<std::atomic<std::size_t>> sent_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace kinformer

#endif  // KINFORMER_TEST_HOSTILE_HOSTILE_SERVER_H_
