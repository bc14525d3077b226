#include "src/informer/private_informer.h"

#include <utility>

#include "src/client/http_lister_watcher.h"
#include "src/informer/informer_core.h"

namespace kinformer::internal {
namespace {

std::shared_ptr<InformerCore> PrivateCore(const std::shared_ptr<TaskPool>& pool, const ResourceClient& client,
                                          const PrivateInformerOptions& options) {
  auto source = MakeHttpListerWatcher(
      client, {.namespace_name = options.namespace_name, .field_selector = options.field_selector});
  ReflectorOptions reflector{.name = options.name,
                             .expected = source->ExpectedKind(),
                             .expected_namespace = source->ExpectedNamespace(),
                             .streaming_lists = false};
  return InformerCore::Create(pool, std::move(source), InformerCoreOptions{.reflector = std::move(reflector)});
}

}  // namespace

PrivateInformer::PrivateInformer(const ResourceClient& client, const PrivateInformerOptions& options)
    : pool_(std::make_shared<TaskPool>(TaskPoolOptions{.threads = 1, .clock = options.clock})),
      informer_(PrivateCore(pool_, client, options)) {
  informer_.Start();
}

}  // namespace kinformer::internal
