#include "bench/kinformer_load/work_namespace.h"

#include <iostream>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "bench/kinformer_load/ask.h"

namespace kinformer::bench {
namespace {

constexpr std::string_view kNamespaces = "/api/v1/namespaces";
constexpr std::string_view kWanted =
    R"({"apiVersion":"v1","kind":"Namespace","metadata":{"generateName":"kinformer-load-"}})";
constexpr std::string_view kAtOnce = R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0})";

/// A string member of the metadata; empty if absent.
std::string Metadata(const std::string& text, const char* field) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto pointer = nlohmann::json::json_pointer(std::string("/metadata/") + field);
  if (!json.is_object() || !json.contains(pointer) || !json[pointer].is_string()) return {};
  return json[pointer].get<std::string>();
}

}  // namespace

Result<std::unique_ptr<WorkNamespace>> WorkNamespace::Create(const Target& target, const std::string& resource,
                                                             bool keep, std::chrono::seconds timeout) {
  const auto created = Ask(target, target.Request("POST", kNamespaces, kWanted), timeout);
  if (!created) return Annotate(created.error(), "a namespace to work in");
  const std::string name = Metadata(*created, "name");
  if (name.empty()) return Error{.code = ErrorCode::kMalformed, .message = "a namespace without a name"};
  std::unique_ptr<WorkNamespace> work(new WorkNamespace(target, name, resource, keep, timeout));
  const auto list = Ask(target, target.Request("GET", work->path_ + "?limit=1"), timeout);
  if (!list) return Annotate(list.error(), "the list to watch from");
  work->version_ = Metadata(*list, "resourceVersion");
  if (work->version_.empty()) return Error{.code = ErrorCode::kMalformed, .message = "a list without a version"};
  return work;
}

WorkNamespace::~WorkNamespace() {
  if (keep_) return;
  const auto emptied = Ask(target_, target_.Request("DELETE", path_, kAtOnce), timeout_);
  const auto deleted = Ask(target_, target_.Request("DELETE", namespace_path_), timeout_);
  if (emptied && deleted) return;
  std::cerr << "kinformer-load: " << namespace_path_
            << " is left over: " << ToString(emptied ? deleted.error() : emptied.error()) << "\n";
}

}  // namespace kinformer::bench
