#include "bench/kinformer_load/work_namespace.h"

#include <iostream>
#include <utility>

namespace kinformer::bench {

Result<std::unique_ptr<WorkNamespace>> WorkNamespace::Create(const Client& client, const Resource& resource) {
  const auto wanted =
      Object::Parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"generateName":"kinformer-load-"}})");
  if (!wanted) return wanted.error();
  const auto created = client.Dynamic(Resource::Of(core::v1::Namespace::kInfo)).Create(**wanted);
  if (!created) return created.error();
  return std::unique_ptr<WorkNamespace>(new WorkNamespace(client, resource, std::string((*created)->Name())));
}

WorkNamespace::~WorkNamespace() {
  const auto emptied =
      client_.Dynamic(resource_).DeleteCollection({.namespace_name = name_}, {.grace_period = std::chrono::seconds(0)});
  const auto deleted = client_.Dynamic(Resource::Of(core::v1::Namespace::kInfo)).Delete("", name_);
  if (!emptied || !deleted) {
    std::cerr << "kinformer-load: namespace " << name_
              << " is left over: " << ToString(emptied ? deleted.error() : emptied.error()) << "\n";
  }
}

}  // namespace kinformer::bench
