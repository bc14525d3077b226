#include "src/listwatch/storage/compactor.h"

#include <string>
#include <utility>

#include <kinformer/meta/status_error.h>

namespace kinformer::apiserver {
namespace {

constexpr const char* kKey = "compact_rev_key";

}  // namespace

Compactor::Compactor(std::shared_ptr<Backend> backend, CompactorOptions options)
    : backend_(std::move(backend)), options_(std::move(options)) {}

Compactor::~Compactor() = default;

void Compactor::Start() {
  if (thread_.joinable()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (options_.clock->SleepFor(options_.interval, stop)) {
      const Result<void> done = RunOnce(stop);
      if (!done && !stop.stop_requested()) {
        options_.logger.Warning("apiserver", "compaction failed: " + ToString(done.error()));
      }
    }
  });
}

Result<void> Compactor::RunOnce(const std::stop_token& stop) {
  const Result<WriteOutcome> moved =
      backend_->Put(kKey, MakeBytes(std::to_string(seen_)), key_revision_, std::chrono::seconds(0), stop);
  if (!moved) return moved.error();
  const Revision target = std::exchange(seen_, 0);
  if (!moved->Written()) {
    // Another server compacted.
    key_revision_ = moved->current->mod_revision;
    const Result<Revision> now = backend_->CurrentRevision(stop);
    if (!now) return now.error();
    seen_ = *now;
    return {};
  }
  key_revision_ = moved->revision;
  seen_ = moved->revision;
  if (target == 0) return {};
  Result<void> compacted = backend_->Compact(target, stop);
  // Already compacted further by another server.
  if (!compacted && IsResourceExpired(compacted.error())) return {};
  return compacted;
}

}  // namespace kinformer::apiserver
