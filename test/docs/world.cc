#include "test/docs/world.h"

#include <atomic>
#include <stdexcept>

namespace docs {
namespace {

constexpr char kObjects[] = R"([
  {"apiVersion": "v1", "kind": "Pod",
   "metadata": {"name": "web-0", "namespace": "default", "labels": {"app": "web"}},
   "spec": {"nodeName": "node-7", "containers": [{"name": "main", "image": "nginx:1.27"}]}},
  {"apiVersion": "v1", "kind": "Pod",
   "metadata": {"name": "web-1", "namespace": "default", "labels": {"app": "web"}},
   "spec": {"nodeName": "node-8", "containers": [{"name": "main", "image": "nginx:1.27"}]}},
  {"apiVersion": "apps/v1", "kind": "Deployment",
   "metadata": {"name": "web", "namespace": "default", "labels": {"scale": "3"}},
   "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}},
                         "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]}}}}
])";

constexpr char kReady[] = R"({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})";

template <typename T>
void Check(const ki::Result<T>& result) {
  if (!result.ok()) throw std::runtime_error(ToString(result.error()));
}

std::atomic<World*> current = nullptr;

}  // namespace

const char kWebs[] = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: webs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: webs, singular: web, kind: Web}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

World::World() : client(server.Client()) {
  Check(server.Create(kObjects));
  Check(client.For<Pod>().Patch({"default", "web-0"}, ki::PatchType::kMerge, kReady, {.subresource = "status"}));
  current = this;
}

World::~World() { current = nullptr; }

ki::SharedInformerFactory& World::Factory() {
  if (!factory_) factory_ = std::make_unique<ki::SharedInformerFactory>(client);
  return *factory_;
}

ki::SharedIndexInformer<Pod> World::Pods() {
  auto pods = Factory().For<Pod>();
  pods.Start();
  Check(pods.WaitForCacheSync(30s));
  return pods;
}

void World::InstallWebs() {
  Check(server.InstallCrds(kWebs));
  Check(server.Create(R"({"apiVersion": "example.com/v1", "kind": "Web",
                          "metadata": {"name": "shop", "namespace": "default"}, "spec": {"size": 3}})"));
}

::testing::AssertionResult World::Ends(const ki::Result<void>& result, std::optional<ki::ErrorCode> with) const {
  const std::string ended = result.ok() ? "it ended without an error" : "it ended with " + ToString(result.error());
  const bool as_promised = with ? !result.ok() && result.error().code == *with : result.ok();
  return as_promised ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << ended;
}

void Handled() {
  if (World* const world = current) world->stop.request_stop();
}

}  // namespace docs
