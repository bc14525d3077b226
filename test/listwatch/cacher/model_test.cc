// Random writes, watches and interruptions: the state that each watcher derives must equal the storage's.

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "test/listwatch/cacher/fake_store.h"
#include "test/listwatch/cacher/predicates.h"
#include "test/listwatch/cacher/watch_reader.h"

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;

/// A watch client: maintains a state from its events, resumes where possible and starts over where necessary.
class ModelClient {
 public:
  ModelClient(Cacher& cacher, std::uint64_t seed) : cacher_(cacher), random_(seed) {
    const std::vector<SelectionPredicate> predicates = {{},
                                                        Labels("app=a"),
                                                        Labels("app!=a"),
                                                        Fields("spec.nodeName=n1"),
                                                        Fields("spec.nodeName="),
                                                        Fields("metadata.name=p3"),
                                                        {.labels = LabelSelector::Parse("app in (a,b)").value(),
                                                         .fields = FieldSelector::Parse("spec.nodeName!=n2").value()}};
    predicate_ = predicates[random_() % predicates.size()];
    if (random_() % 3 == 0) namespace_name_ = "ns1";
  }

  /// Takes what is available. False if there was nothing.
  bool Step() {
    if (stream_ == nullptr && !Open()) return false;
    if (random_() % 200 == 0) {  // disconnects, then resumes at the version it has seen, or at another
      Drop();
      return true;
    }
    auto part = stream_->TryNext();
    if (!part) {
      ADD_FAILURE() << ToString(part.error());
      return false;
    }
    if (!*part) return false;
    if (std::holds_alternative<WatchEnd>(**part)) {
      // Ended before the initial events were complete: the partial state does not belong to any version.
      if (!complete_) version_ = 0;
      Drop();
      return true;
    }
    for (const WatchEvent& event : std::get<std::vector<WatchEvent>>(**part)) Take(event);
    return true;
  }

  bool Equals(const std::map<std::string, ObjectPtr>& objects, const StorageOptions& options, std::string& why) const {
    std::map<std::string, ObjectPtr> expected;
    for (const auto& [key, object] : objects) {
      if (!namespace_name_.empty() && object->Namespace() != namespace_name_) continue;
      if (predicate_.Matches(*object, options)) expected[key] = object;
    }
    if (known_.size() != expected.size()) {
      why = std::to_string(known_.size()) + " objects instead of " + std::to_string(expected.size());
      return false;
    }
    for (const auto& [key, object] : expected) {
      const auto found = known_.find(key);
      if (found == known_.end() || found->second->Json() != object->Json()) {
        why = key + " differs";
        return false;
      }
    }
    return true;
  }
  Revision version() const { return version_; }
  std::uint64_t events() const { return events_; }
  std::string Describe() const {
    return "namespace '" + namespace_name_ + "', labels '" + ToString(predicate_.labels) + "', fields '" +
           ToString(predicate_.fields) + "'";
  }

 private:
  bool Open() {
    WatchQuery query{.namespace_name = namespace_name_, .predicate = predicate_, .allow_bookmarks = true};
    complete_ = version_ != 0;
    if (version_ != 0) {
      query.resource_version = std::to_string(version_);
    } else {
      query.resource_version = "0";
      if (random_() % 2 == 0) {
        query.send_initial_events = true;
        query.match = VersionMatch::kNotOlderThan;
      }
    }
    Result<std::unique_ptr<WatchEventStream>> stream = cacher_.Watch(query, {});
    if (!stream) {
      EXPECT_EQ(stream.error().http_status, 429) << ToString(stream.error());
      return false;
    }
    stream_ = *std::move(stream);
    if (!complete_) known_.clear();
    return true;
  }
  void Drop() {
    stream_.reset();
    if (!complete_) version_ = 0;
  }

  void Take(const WatchEvent& event) {
    ++events_;
    if (event.type == WatchEventType::kError) {
      EXPECT_EQ(event.error.http_status, 410) << event.error.message;
      version_ = 0;
      complete_ = false;
      return;
    }
    const Revision revision = ParseRevision(event.object->ResourceVersion()).value_or(-1);
    const std::string key = KeyOf(*event.object);
    if (complete_) {
      if (event.type == WatchEventType::kBookmark) {
        EXPECT_GE(revision, version_) << Describe();
      } else {
        EXPECT_GT(revision, version_) << "out of order: " << Line(event) << "; " << Describe();
      }
      version_ = revision;
    } else if (event.type == WatchEventType::kBookmark) {
      EXPECT_TRUE(event.object->Annotations().Contains("k8s.io/initial-events-end"));
      complete_ = true;
      version_ = revision;
    }
    switch (event.type) {
      case WatchEventType::kAdded:
        EXPECT_TRUE(known_.emplace(key, event.object).second) << "added twice: " << Line(event) << "; " << Describe();
        break;
      case WatchEventType::kModified:
        EXPECT_TRUE(known_.contains(key)) << "not known: " << Line(event) << "; " << Describe();
        known_[key] = event.object;
        break;
      case WatchEventType::kDeleted:
        EXPECT_EQ(known_.erase(key), 1U) << "not known: " << Line(event) << "; " << Describe();
        EXPECT_TRUE(complete_) << "deleted before the initial events were complete";
        break;
      default:
        break;
    }
  }

  Cacher& cacher_;
  std::mt19937_64 random_;
  SelectionPredicate predicate_{};
  std::string namespace_name_{};
  std::unique_ptr<WatchEventStream> stream_;
  std::map<std::string, ObjectPtr> known_;
  Revision version_ = 0;
  bool complete_ = false;
  std::uint64_t events_ = 0;
};

class CacherModelTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(CacherModelTest, WhateverHappensEachWatcherEndsUpWithWhatTheStorageHas) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto clock = std::make_shared<FakeClock>();
  const auto pool = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 2, .clock = clock});
  pool->Start();
  const auto store = std::make_shared<FakeStore>();
  {
    // A small ring, so that versions expire and readers are overtaken.
    Cacher cacher(pool, store, store, store->Progress(), {.ring = {.min_capacity = 32, .max_capacity = 128}});
    cacher.Start();
    std::atomic<int> writing = 2;
    std::vector<std::jthread> threads;
    for (std::uint64_t w = 0; w < 2; ++w) {
      threads.emplace_back([&, w] {
        std::mt19937_64 random(seed * 100 + w);
        for (int i = 0; i < 1500; ++i) {
          const std::string name = "p" + std::to_string(random() % 20);
          const std::string namespace_name = random() % 2 == 0 ? "ns1" : "ns2";
          if (random() % 4 == 0) {
            store->Remove(namespace_name, name);
          } else {
            const std::string node = random() % 3 == 0 ? "" : "n" + std::to_string(random() % 3);
            store->Put({.namespace_name = namespace_name,
                        .name = name,
                        .node = node,
                        .labels = {{"app", std::string(1, static_cast<char>('a' + random() % 3))}},
                        .note = std::to_string(i)});
          }
          if (random() % 64 == 0) std::this_thread::yield();
        }
        --writing;
      });
    }
    threads.emplace_back([&] {
      std::mt19937_64 random(seed * 100 + 50);
      while (writing > 0) {
        switch (random() % 40) {
          case 0:
            store->Compact();
            store->Break({.code = ErrorCode::kDisconnected, .message = "broken"});
            break;
          case 1:
            store->Break({.code = ErrorCode::kServer, .message = "gone", .http_status = 410, .reason = "Expired"});
            break;
          case 2:
            store->Break({.code = ErrorCode::kDisconnected, .message = "broken"},
                         Error{.code = ErrorCode::kUnreachable, .message = "refused"});
            break;
          case 3:
            store->SendProgress();
            break;
          default:
            store->Mend();
            clock->Advance(100ms);
        }
        std::this_thread::yield();
      }
      store->Mend();
    });
    constexpr std::size_t kClients = 24;
    std::vector<std::unique_ptr<ModelClient>> clients;
    for (std::size_t i = 0; i < kClients; ++i)
      clients.push_back(std::make_unique<ModelClient>(cacher, seed * 1000 + i));
    std::vector<std::jthread> readers;
    std::atomic<bool> done = false;
    for (std::size_t r = 0; r < 2; ++r) {
      readers.emplace_back([&, r] {
        while (!done) {
          bool any = false;
          for (std::size_t i = r; i < kClients; i += 2) any = clients[i]->Step() || any;
          if (!any) std::this_thread::yield();
        }
      });
    }
    threads.clear();
    // Everything is written; wait until the cache and the watchers have caught up.
    EXPECT_TRUE(Await([&] {
      clock->Advance(100ms);
      store->SendProgress();
      return cacher.Ready().ok() && cacher.Status().dispatcher.revision >= store->revision();
    }));
    done = true;
    readers.clear();
    const auto objects = store->objects();
    std::uint64_t events = 0;
    for (const auto& client : clients) {
      std::string why = "no state yet";
      EXPECT_TRUE(Await([&] {
        while (client->Step()) {
        }
        return client->Equals(objects, store->options(), why);
      })) << why
          << "; " << client->Describe();
      events += client->events();
    }
    EXPECT_GT(events, 0U);
    RecordProperty("events", std::to_string(events));
    RecordProperty("fills", std::to_string(cacher.Status().fills));
  }
  pool->Stop();
}

INSTANTIATE_TEST_SUITE_P(Seeds, CacherModelTest, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace kinformer::apiserver
