#include "test/chaos/watcher_probe.h"

#include <algorithm>
#include <chrono>

#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>
#include <kinformer/watch/retry_watcher.h>

#include "test/chaos/witness.h"

namespace kinformer::chaos {
namespace {

using namespace std::chrono_literals;

std::uint64_t Number(const std::string& version) { return std::strtoull(version.c_str(), nullptr, 10); }

}  // namespace

std::vector<std::uint64_t> Missing(const WatcherLife& life, const std::vector<std::uint64_t>& acknowledged) {
  std::vector<std::uint64_t> missing;
  for (const std::uint64_t version : acknowledged) {
    if (version > life.after && version <= life.until && !life.shown.contains(version)) missing.push_back(version);
  }
  return missing;
}

WatcherProbe::WatcherProbe(const Client& client, std::string namespace_name, Violations& violations, Figures& figures)
    : client_(client.For<core::v1::ConfigMap>().Untyped()),
      namespace_(std::move(namespace_name)),
      violations_(violations),
      figures_(figures) {}

void WatcherProbe::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void WatcherProbe::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void WatcherProbe::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    LiveOnce(stop);
    std::this_thread::sleep_for(50ms);
  }
}

void WatcherProbe::LiveOnce(const std::stop_token& stop) {
  const Selection ours{.namespace_name = namespace_, .label_selector = "chaos=true"};
  const auto list = client_.List(ours, {.timeout = 10s}, stop);
  if (!list) {
    if (list.error().code == ErrorCode::kMalformed) violations_.Report("list: " + ToString(list.error()));
    return;
  }
  Witness witness({.name = "watcher of " + namespace_});
  for (const ObjectPtr& object : list->items) witness.Added(FactOf(*object));
  auto watcher = RetryWatcher::Create(client_, list->metadata.resource_version, ours, {.min_restart_delay = 100ms});
  if (!watcher) return violations_.Report("RetryWatcher: " + ToString(watcher.error()));
  ++figures_.watcher_lives;
  WatcherLife life{.after = Number(list->metadata.resource_version), .until = Number(list->metadata.resource_version)};
  while (!witness.breach()) {
    const auto event = watcher->Next(stop);
    if (!event) {
      const Error& error = event.error();
      if (error.code != ErrorCode::kCancelled && !IsResourceExpired(error) && !IsGone(error)) {
        violations_.Report("the watcher of " + namespace_ + " ended: " + ToString(error));
      }
      life.until = Number(watcher->ResourceVersion());
      break;
    }
    ++figures_.watcher_events;
    const Fact fact = FactOf(*event->object);
    if (fact.state.version <= life.until) {
      violations_.Report("the watcher of " + namespace_ + " went back: " + fact.key + " at " +
                         std::to_string(fact.state.version) + " after " + std::to_string(life.until));
      break;
    }
    life.until = fact.state.version;
    life.shown.insert(fact.state.version);
    if (event->type == WatchEventType::kAdded) {
      witness.Added(fact);
    } else if (event->type == WatchEventType::kDeleted) {
      witness.Deleted(fact, false);
    } else {
      const auto it = witness.world().find(fact.key);
      witness.Updated(it == witness.world().end() ? fact : Fact{.key = fact.key, .state = it->second}, fact);
    }
  }
  if (witness.breach()) violations_.Report(*witness.breach());
  lives_.push_back(std::move(life));
}

}  // namespace kinformer::chaos
