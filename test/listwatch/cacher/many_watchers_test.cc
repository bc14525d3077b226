#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "test/listwatch/cacher/fake_store.h"
#include "test/listwatch/cacher/watch_reader.h"

namespace kinformer::apiserver {
namespace {

TEST(ManyWatchersTest, AllGetAllEventsInOrderAndNoneIsSlow) {
  constexpr int kWatchers = 100;
  constexpr int kEvents = 500;
  // A stopped clock, so that readers on a busy machine do not count as slow.
  const auto clock = std::make_shared<FakeClock>();
  const auto pool = std::make_shared<TaskPool>(TaskPoolOptions{.clock = clock});
  pool->Start();
  const auto store = std::make_shared<FakeStore>();
  Cacher cacher(pool, store, store, store->Progress(), {.dispatcher = {.cost_per_watcher = {}}});
  cacher.Start();
  ASSERT_TRUE(Await([&] { return cacher.Ready().ok(); }));
  std::vector<std::unique_ptr<WatchEventStream>> watches;
  watches.reserve(kWatchers);
  for (int i = 0; i < kWatchers; ++i) {
    watches.push_back(cacher.Watch({.resource_version = std::to_string(store->revision())}, {}).value());
  }
  const std::string kilobyte(900, 'x');
  std::vector<std::string> versions;
  for (int i = 0; i < kEvents; ++i) versions.push_back(std::to_string(store->revision() + 1 + i));
  std::vector<int> seen(kWatchers, 0);
  std::jthread writer([&] {
    for (int i = 0; i < kEvents; ++i) store->Put({.name = "p" + std::to_string(i), .note = kilobyte});
  });
  int complete = 0;
  bool in_order = true;
  bool ended = false;
  while (complete < kWatchers && !ended) {
    bool any = false;
    for (std::size_t i = 0; i < watches.size(); ++i) {
      if (seen[i] == kEvents) continue;
      auto part = watches[i]->TryNext();
      if (!part || !*part) continue;
      any = true;
      if (const auto* events = std::get_if<std::vector<WatchEvent>>(&**part)) {
        for (const WatchEvent& event : *events) {
          in_order = in_order && event.object->ResourceVersion() == versions[static_cast<std::size_t>(seen[i])];
          ++seen[i];
        }
        if (seen[i] == kEvents) ++complete;
      } else {
        ended = true;
      }
    }
    if (!any) std::this_thread::yield();
  }
  EXPECT_TRUE(in_order);
  EXPECT_FALSE(ended) << "nobody was slow";
  EXPECT_EQ(cacher.Status().dispatcher.terminated, 0U);
  watches.clear();
  cacher.Stop();
  pool->Stop();
}

}  // namespace
}  // namespace kinformer::apiserver
