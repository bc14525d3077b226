// Random runs of an informer: writes, broken watches, compacted versions, expired pages, repeated events, handlers that
// come and go. In the end its cache equals the server, and every handler has seen each object's events in order,
// deletions included. Hundreds of runs in memory, a few over TLS.
//
// A failing seed prints how to replay it: KINFORMER_MODEL_SEED=<seed> informer_test
// --gtest_filter='*InformerModelTest.*'
// KINFORMER_MODEL_SEEDS=<n> sets the number of seeds.

#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/informer/shared_informer.h>

#include "src/base/task_pool.h"
#include "src/informer/informer_core.h"
#include "test/informer/informer_test_server.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using Content = InformerTestServer::Content;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::pair<std::string, std::string> StateOf(const ObjectPtr& object) {
  return {object->At("/data/value").StringOr(""), std::string(object->ResourceVersion())};
}

std::string Text(const Content& content) {
  std::string text;
  for (const auto& [name, state] : content) text += name + "=" + state.first + "@" + state.second + " ";
  return text;
}

/// A handler that rebuilds the state of the world from its events and records every violated guarantee.
class Witness {
 public:
  EventHandler Handler() {
    return {.on_add =
                [this](const ObjectPtr& object, bool) {
                  const MutexLock lock(mutex_);
                  const std::string name(object->Name());
                  if (seen_.contains(name)) breaches_ += "added twice: " + name + "; ";
                  seen_[name] = StateOf(object);
                },
            .on_update =
                [this](const ObjectPtr& before, const ObjectPtr& after) {
                  const MutexLock lock(mutex_);
                  const std::string name(after->Name());
                  const auto it = seen_.find(name);
                  if (it == seen_.end()) {
                    breaches_ += "updated before it was added: " + name + "; ";
                  } else if (it->second != StateOf(before)) {
                    breaches_ += "updated from a state that was not shown: " + name + "; ";
                  }
                  if (std::stoull(std::string(before->ResourceVersion())) >
                      std::stoull(std::string(after->ResourceVersion()))) {
                    breaches_ += "went back: " + name + "; ";
                  }
                  seen_[name] = StateOf(after);
                },
            .on_delete =
                [this](const Deleted<ObjectPtr>& gone) {
                  const MutexLock lock(mutex_);
                  const std::string name(gone.last_known->Name());
                  if (seen_.erase(name) == 0) breaches_ += "deleted without having been added: " + name + "; ";
                }};
  }
  Content Seen() const {
    const MutexLock lock(mutex_);
    return seen_;
  }
  std::string Breaches() const {
    const MutexLock lock(mutex_);
    return breaches_;
  }

 private:
  mutable Mutex mutex_;
  Content seen_ KINFORMER_GUARDED_BY(mutex_);
  std::string breaches_ KINFORMER_GUARDED_BY(mutex_);
};

class Life {
 public:
  Life(std::uint64_t seed, Between between)
      : random_(seed),
        clock_(between == Between::kTls ? nullptr : std::make_shared<FakeClock>()),
        server_(MakeInformerTestServer(between, {.streaming_lists = Chance(2)})),
        pool_(std::make_shared<TaskPool>(
            TaskPoolOptions{.threads = 2, .clock = clock_ == nullptr ? Clock::System() : clock_})) {}

  /// Returns "" on success.
  std::string Run() {
    pool_->Start();
    for (int i = Pick(8); i > 0; --i) Write();
    internal::InformerCoreOptions options;
    options.reflector.name = "configmaps";
    options.reflector.page_size = Chance(2) ? 3 : 0;
    options.reflector.seed = random_() | 1U;
    if (clock_ == nullptr) options.reflector.backoff = {.initial = 1ms, .factor = 1, .cap = 1ms};
    const SharedInformer informer(internal::InformerCore::Create(pool_, server_->Source(), std::move(options)));
    if (Chance(2)) AddHandler(informer);
    informer.Start();
    for (int step = 0; step < 60; ++step) Step(informer);
    AddHandler(informer);
    std::string problem = Settle(informer);
    handlers_.clear();
    return problem;
  }

 private:
  struct Registered {
    std::unique_ptr<Witness> witness;
    InformerRegistration registration;
  };

  int Pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  bool Chance(int one_in) { return Pick(one_in) == 0; }

  void Write() {
    const std::string name = "o" + std::to_string(Pick(6));
    if (Chance(3)) {
      server_->Remove(name);
    } else {
      server_->Put(name, std::to_string(random_() % 1000));
    }
  }

  void AddHandler(const SharedInformer& informer) {
    Registered registered{.witness = std::make_unique<Witness>(), .registration = {}};
    HandlerOptions options;
    if (Chance(2)) options = {.overflow = Overflow::kCoalesce, .max_pending = 2};
    if (Chance(3)) options.resync = clock_ == nullptr ? 5ms : 1s;
    registered.registration = informer.AddEventHandler(registered.witness->Handler(), options).value();
    handlers_.push_back(std::move(registered));
  }

  void Step(const SharedInformer& informer) {
    switch (Pick(14)) {
      case 0:
        server_->EndWatch(WatchEnding::kCleanly);
        break;
      case 1:
        server_->EndWatch(WatchEnding::kBroken);
        break;
      case 2:
        // Over TLS a compaction takes more than a hundred writes, so mostly the watch just ends with 410.
        if (clock_ == nullptr && !Chance(4)) {
          server_->EndWatch(WatchEnding::kExpired);
          break;
        }
        server_->Compact();
        server_->EndWatch(WatchEnding::kCleanly);
        break;
      case 3:
        server_->RepeatAnEvent();
        break;
      case 4:
        server_->SendBookmark();
        break;
      case 5:
        server_->FailAList();
        break;
      case 6:
        server_->FailAWatch(Chance(2));
        server_->EndWatch(WatchEnding::kCleanly);
        break;
      case 7:
        AddHandler(informer);
        break;
      case 8:
        if (!handlers_.empty()) {
          const auto it = handlers_.begin() + Pick(static_cast<int>(handlers_.size()));
          it->registration.Remove();
          problems_ += it->witness->Breaches();
          handlers_.erase(it);
        }
        break;
      case 9:
        if (clock_ != nullptr) clock_->Advance(std::chrono::seconds(1 + Pick(60)));
        break;
      case 10:
        server_->Tick();
        break;
      case 11:
        if (Chance(4)) {
          informer.Stop();
          informer.Start();
        }
        break;
      default:
        Write();
    }
    if (Chance(3)) std::this_thread::yield();
  }

  /// Advances the time until cache and handlers have caught up. "" on success.
  std::string Settle(const SharedInformer& informer) {
    const auto patience = std::chrono::steady_clock::now() + 20s;
    const Content wanted = server_->Objects();
    std::string difference = "nothing";
    while (!difference.empty() && std::chrono::steady_clock::now() < patience) {
      if (clock_ != nullptr) clock_->Advance(5s);
      std::this_thread::yield();
      difference = Difference(informer, wanted);
    }
    for (const Registered& registered : handlers_) problems_ += registered.witness->Breaches();
    return problems_ + difference;
  }

  std::string Difference(const SharedInformer& informer, const Content& wanted) const {
    Content cached;
    for (const ObjectPtr& object : informer.Lister().List()) cached[std::string(object->Name())] = StateOf(object);
    if (!informer.HasSynced()) return "never synced";
    if (cached != wanted) {
      return "the cache differs from the server: " + Text(cached) + "instead of " + Text(wanted) +
             "last error: " + ToString(informer.Status().last_error.value_or(Error{}));
    }
    for (const Registered& registered : handlers_) {
      if (registered.witness->Seen() != wanted) return "a handler's view differs from the server";
    }
    return "";
  }

  std::mt19937_64 random_;
  /// Null: the system clock. Over TLS the server needs real time, which a fake clock must not outrun.
  const std::shared_ptr<FakeClock> clock_;
  const std::unique_ptr<InformerTestServer> server_;
  std::shared_ptr<TaskPool> pool_;
  std::vector<Registered> handlers_;
  std::string problems_;
};

class InformerModelTest : public ::testing::TestWithParam<Between> {};

INSTANTIATE_TEST_SUITE_P(Server, InformerModelTest, BothServers(), ServerName);

TEST_P(InformerModelTest, AfterAnyLifeTheCacheEqualsTheServerAndEveryHandlerSawItInOrder) {
  const std::uint64_t one = FromEnvironment("KINFORMER_MODEL_SEED", 0);
  const std::uint64_t wanted = FromEnvironment("KINFORMER_MODEL_SEEDS", 0);
  const std::uint64_t usual = GetParam() == Between::kTls ? 20 : 200;
  const std::uint64_t count = one != 0 ? 1 : wanted != 0 ? wanted : usual;
  const auto enough = std::chrono::steady_clock::now() + 10s;  // Time limit unless a count was given.
  for (std::uint64_t i = 0; i < count; ++i) {
    if (wanted == 0 && std::chrono::steady_clock::now() > enough) break;
    const std::uint64_t seed = one != 0 ? one : i + 1;
    const std::string problem = Life(seed, GetParam()).Run();
    ASSERT_EQ(problem, "") << "replay: KINFORMER_MODEL_SEED=" << seed
                           << " informer_test --gtest_filter='*InformerModelTest.*'";
  }
}

}  // namespace
}  // namespace kinformer
