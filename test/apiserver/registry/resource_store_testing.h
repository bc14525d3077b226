#ifndef KINFORMER_TEST_APISERVER_REGISTRY_RESOURCE_STORE_TESTING_H_
#define KINFORMER_TEST_APISERVER_REGISTRY_RESOURCE_STORE_TESTING_H_

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/base/fake_clock.h>
#include <kinformer/meta/status_error.h>

#include "src/apiserver/registry/resource_store.h"
#include "src/base/task_pool.h"
#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/undecorated_storage.h"

namespace kinformer::apiserver {

inline const ServedKind& KindOf(const std::string& kind) {
  for (const ServedKind& served : BuiltInKinds()) {
    if (served.kind == kind) return served;
  }
  throw std::out_of_range(kind);
}

inline nlohmann::json ConfigMap(const std::string& name, const std::string& value = "1") {
  return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", {{"value", value}}}};
}

inline nlohmann::json Deployment(const std::string& name, int replicas = 1) {
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"replicas", replicas},
            {"selector", {{"matchLabels", {{"app", "web"}}}}},
            {"template",
             {{"metadata", {{"labels", {{"app", "web"}}}}},
              {"spec", {{"containers", {{{"name", "c"}, {"image", "i"}}}}}}}}}}};
}

inline nlohmann::json Pod(const std::string& name, const std::string& node = "") {
  nlohmann::json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}}}};
  pod["spec"]["containers"] = nlohmann::json::array({{{"name", "c"}, {"image", "i"}}});
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  return pod;
}

/// Stores of built-in kinds over one memory backend, on a fake clock. Namespace "default" exists.
class ResourceStoreTest : public ::testing::Test {
 protected:
  ResourceStoreTest() { pool_.Start(); }

  ResourceStore& Of(const std::string& kind) {
    auto& store = stores_[kind];
    if (!store) {
      RegistryContext context{.clock = clock_};
      if (kind != "Namespace") {
        context.find_namespace = [this](const std::string& name, const std::stop_token& stop) -> Result<ObjectPtr> {
          if (name == "default") return *Object::Parse(R"({"metadata":{"name":"default"}})");
          Result<ObjectPtr> found = Of("Namespace").Get("", name, "", stop);
          if (!found && IsNotFound(found.error())) return ObjectPtr();
          return found;
        };
      }
      store = std::make_unique<ResourceStore>(
          KindOf(kind), std::make_shared<UndecoratedStorage>(backend_, KindOf(kind).ForStorage(), pool_), context);
    }
    return *store;
  }

  Result<ObjectPtr> Create(const nlohmann::json& body, const WriteParameters& parameters = {},
                           const std::string& namespace_name = "default") {
    ResourceStore& store = Of(body.at("kind").get<std::string>());
    return store.Create(store.kind().scope == Scope::kCluster ? "" : namespace_name, body.dump(), parameters, {});
  }
  nlohmann::json Created(const nlohmann::json& body) {
    const auto created = Create(body);
    EXPECT_TRUE(created.ok()) << ToString(created.error());
    return created ? (*created)->ToJson() : nlohmann::json();
  }
  Result<ObjectPtr> Put(const nlohmann::json& body, Subresource subresource = Subresource::kNone,
                        const WriteParameters& parameters = {}) {
    auto updated = Of(body.at("kind").get<std::string>())
                       .Update("default", body.at("metadata").at("name").get<std::string>(), subresource, body.dump(),
                               parameters, {});
    if (!updated) return std::move(updated).error();
    return updated->object;
  }
  nlohmann::json Updated(const nlohmann::json& body, Subresource subresource = Subresource::kNone) {
    const auto updated = Put(body, subresource);
    EXPECT_TRUE(updated.ok()) << ToString(updated.error());
    return updated ? (*updated)->ToJson() : nlohmann::json();
  }
  Result<ObjectPtr> Patch(const std::string& kind, const std::string& name, PatchKind patch_kind,
                          const std::string& patch, Subresource subresource = Subresource::kNone) {
    Result<UpdateOutcome> patched = Of(kind).Patch("default", name, subresource, patch_kind, patch, {}, {});
    if (!patched) return patched.error();
    return patched->object;
  }
  bool IsThere(const std::string& kind, const std::string& name) { return Of(kind).Get("default", name, "", {}).ok(); }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  TaskPool pool_{{.threads = 1, .clock = clock_}};
  const std::shared_ptr<MemoryBackend> backend_ =
      std::make_shared<MemoryBackend>(MemoryBackendOptions{.clock = clock_});
  std::map<std::string, std::unique_ptr<ResourceStore>> stores_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_APISERVER_REGISTRY_RESOURCE_STORE_TESTING_H_
