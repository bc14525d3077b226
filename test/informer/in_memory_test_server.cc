#include "test/informer/in_memory_test_server.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace kinformer {
namespace {

Error NoSuchKind() { return ServerError(404, "NotFound", "the server could not find the requested resource"); }

std::optional<Error> ErrorOf(WatchEnding ending) {
  switch (ending) {
    case WatchEnding::kCleanly:
      return std::nullopt;
    case WatchEnding::kBroken:
      return Error{.code = ErrorCode::kDisconnected, .message = "reset"};
    case WatchEnding::kExpired:
      return ServerError(410, "Expired");
    case WatchEnding::kInternalError:
      return ServerError(500, "InternalError");
  }
  return std::nullopt;
}

}  // namespace

InMemoryTestServer::InMemoryTestServer(InformerTestServerOptions options) {
  for (const std::string name : {"default", "a", "b", "c"}) {
    namespaces_[name] = std::make_shared<ModelServer>(
        ModelServer::Options{.streaming_lists = options.streaming_lists, .namespace_name = name});
  }
}

std::shared_ptr<ListerWatcher> InMemoryTestServer::Source(const std::string& namespace_name) {
  return namespaces_.at(namespace_name);
}

std::string InMemoryTestServer::Put(const std::string& name, const std::string& value,
                                    const std::string& namespace_name) {
  return std::to_string(namespaces_.at(namespace_name)->Put(name, value));
}

void InMemoryTestServer::Remove(const std::string& name, const std::string& namespace_name) {
  namespaces_.at(namespace_name)->Remove(name);
}

std::string InMemoryTestServer::Tick() {
  // One version for all namespaces: an informer that has reached it has seen every write.
  std::uint64_t newest = 0;
  for (const auto& [name, server] : namespaces_) newest = std::max(newest, server->Tick());
  for (const auto& [name, server] : namespaces_) {
    while (server->Tick() < newest) {
    }
  }
  return std::to_string(newest);
}

void InMemoryTestServer::SendBookmark() {
  Tick();
  for (const auto& [name, server] : namespaces_) server->SendBookmark();
}

void InMemoryTestServer::EndWatch(WatchEnding ending) {
  for (const auto& [name, server] : namespaces_) server->EndWatches(ErrorOf(ending));
}

void InMemoryTestServer::Compact() {
  for (const auto& [name, server] : namespaces_) server->Compact();
}

void InMemoryTestServer::Forbid(const std::string& namespace_name) {
  namespaces_.at(namespace_name)
      ->Refuse(ServerError(403, "Forbidden", "configmaps is forbidden: User \"alice\" cannot list"));
}

void InMemoryTestServer::Permit(const std::string& namespace_name) { namespaces_.at(namespace_name)->Refuse({}); }

void InMemoryTestServer::RemoveKind() {
  for (const auto& [name, server] : namespaces_) {
    server->Refuse(NoSuchKind());
    server->EndWatches();
  }
}

void InMemoryTestServer::RestoreKind() {
  for (const auto& [name, server] : namespaces_) server->Refuse({});
}

void InMemoryTestServer::FailAList() {
  for (const auto& [name, server] : namespaces_) server->FailLists({ServerError(500, "InternalError")});
}

void InMemoryTestServer::FailAWatch(bool throttled) {
  for (const auto& [name, server] : namespaces_) {
    server->FailWatches({throttled ? ServerError(429, "TooManyRequests")
                                   : Error{.code = ErrorCode::kUnreachable, .message = "refused"}});
  }
}

void InMemoryTestServer::RepeatAnEvent() {
  for (const auto& [name, server] : namespaces_) server->RepeatLastEvent();
}

InformerTestServer::Content InMemoryTestServer::Objects(const std::string& namespace_name) {
  return namespaces_.at(namespace_name)->Content();
}

std::size_t InMemoryTestServer::Requests(const std::string& namespace_name) {
  const ModelServer& server = *namespaces_.at(namespace_name);
  return server.lists() + server.watches();
}

bool InMemoryTestServer::AwaitOpenWatches(std::size_t count) {
  std::size_t open = 0;
  for (const auto& [name, server] : namespaces_) open += server->OpenWatches();
  return open == count;
}

}  // namespace kinformer
