#include "src/informer/private_informer.h"

#include <utility>

#include "src/client/http_lister_watcher.h"
#include "src/informer/informer_core.h"

namespace kinformer::internal {
namespace {

std::shared_ptr<InformerCore> PrivateCore(const std::shared_ptr<TaskPool>& pool, const ResourceClient& client,
                                          const Selection& selection, const PrivateInformerOptions& options) {
  auto source = MakeHttpListerWatcher(client, selection);
  ReflectorOptions reflector{.name = options.name,
                             .expected = source->ExpectedKind(),
                             .expected_namespace = source->ExpectedNamespace(),
                             .streaming_lists = false};
  return InformerCore::Create(pool, std::move(source), InformerCoreOptions{.reflector = std::move(reflector)});
}

}  // namespace

PrivateInformer::PrivateInformer(const ResourceClient& client, const Selection& selection,
                                 const PrivateInformerOptions& options)
    : pool_(std::make_shared<TaskPool>(TaskPoolOptions{.threads = 1, .clock = options.clock})),
      informer_(PrivateCore(pool_, client, selection, options)) {
  informer_.Start();
}

}  // namespace kinformer::internal
