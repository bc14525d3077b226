// Random calls from many threads and from every kind of callback, against a server that is killed and restarted.
//
//   KINFORMER_STRESS_SEED=…     default 7; "random" picks one and prints it
//   KINFORMER_STRESS_SECONDS=…  default 3

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/client/client.h>
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/views/core_v1.h>

#include "test/informer/await.h"
#include "test/support/leak_check.h"
#include "test/support/model_server.h"
#include "test/support/temp_dir.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::ConfigMap;
using Random = std::mt19937_64;

constexpr const char* kToken = "a-token-for-the-stress-test";
constexpr std::size_t kSlots = 6;
constexpr auto kStuck = 60s;

std::size_t Below(Random& random, std::size_t bound) { return random() % bound; }
bool Chance(Random& random, std::size_t one_in) { return Below(random, one_in) == 0; }

/// An API server at a fixed address that loses all data when killed.
class MortalServer {
 public:
  MortalServer() { Start(); }

  void Kill() { server_.reset(); }
  void Start() {
    ApiServerOptions options{
        .port = port_, .tls_directory = directory_.path().string(), .token = kinformer::Secret(kToken)};
    options.logger = Logger::None();
    server_ = std::make_unique<ApiServer>(std::move(options));
    const Result<void> started = server_->Start();
    if (!started) throw std::runtime_error("the server does not start: " + ToString(started.error()));
    config_ = server_->ClientConfig();
    port_ = static_cast<std::uint16_t>(std::stoi(server_->Url().substr(server_->Url().rfind(':') + 1)));
  }
  const Config& config() const { return config_; }

 private:
  const testing_support::TempDir directory_;
  std::uint16_t port_ = 0;
  Config config_;
  std::unique_ptr<ApiServer> server_;
};

/// State shared by all threads: a factory that is replaced when shut down, and slots for informers and registrations.
class World {
 public:
  World(Config config, std::uint64_t seed) : config_(std::move(config)), seed_(seed) {
    for (auto& model : models_) {
      model = std::make_shared<ModelServer>();
      for (int i = 0; i < 5; ++i) model->Put("m" + std::to_string(i), "1");
    }
    NewFactory();
  }

  ~World() {
    ending_ = true;
    for (auto& slot : registrations_) slot.Take();
    for (auto& slot : informers_) slot.Take();
    factory_.Take();
  }

  /// Makes one random call. `inside`: called from a callback.
  void Act(Random& random, bool inside) {
    if (ending_) return;
    const std::size_t slot = Below(random, kSlots);
    switch (Below(random, 19)) {
      case 0:
      case 1:
        return MakeInformer(random, slot);
      case 2:
        return With(slot, [](const SharedInformer& informer) { informer.Start(); });
      case 3:
        return With(slot, [](const SharedInformer& informer) { informer.Stop(); });
      case 4:
        return With(slot, [](const SharedInformer& informer) {
          informer.Stop();
          informer.Start();
        });
      case 5:
      case 6:
        return With(slot, [&](const SharedInformer& informer) { AddHandler(random, informer); });
      case 7:
        registrations_[Below(random, kSlots)].Take();
        return;
      case 8:
        informers_[slot].Take();
        return;
      case 9:
        return With(slot, [&](const SharedInformer& informer) {
          std::vector<std::string> namespaces;
          for (const char* const name : {"default", "kube-system", "kube-public"}) {
            if (Chance(random, 2)) namespaces.emplace_back(name);
          }
          (void)informer.SetNamespaces(std::move(namespaces));
        });
      case 10:
        return With(slot, [&](const SharedInformer& informer) {
          const std::string name = "index" + std::to_string(Below(random, 3));
          (void)informer.AddIndexer(name, [this](const ObjectPtr& object) -> Keys {
            Sometimes();
            return {std::string(object->Name())};
          });
        });
      case 11:
        return With(slot, [](const SharedInformer& informer) { (void)informer.WaitForCacheSync(5ms); });
      case 12:
        return With(slot,
                    [](const SharedInformer& informer) { (void)informer.WaitForResourceVersion("99999999", 2ms); });
      case 13:
        return With(slot, [](const SharedInformer& informer) {
          const Lister lister = informer.Lister();
          (void)lister.List();
          (void)lister.ByIndex("index0", "m1");
          (void)informer.Status();
        });
      case 14:
        if (const auto factory = factory_.Copy()) {
          factory->Start();
          (void)factory->Informers();
          (void)factory->Size();
        }
        return;
      case 15:
        if (const auto factory = factory_.Copy()) (void)factory->WaitForCacheSync(2ms);
        return;
      case 16:
        if (!Chance(random, 8)) return;
        if (const auto factory = factory_.Copy()) (void)factory->Shutdown(inside ? 1ms : 50ms);
        return NewFactory();
      case 17:
        if (!Chance(random, 8)) return;
        return NewFactory();  // the last reference destroys the old factory
      case 18:
        return With(slot, [](const SharedInformer& informer) {
          informer.SetWatchErrorHandler({});
          (void)informer.SetTransform({});
        });
    }
  }

  /// Called in callbacks: makes a random call now and then, but never nested.
  void Sometimes() {
    thread_local bool inside = false;
    if (inside || ending_) return;
    const std::uint64_t number = calls_.fetch_add(1);
    if (number % 7 != 0) return;
    Random random(seed_ + number);
    inside = true;
    Act(random, true);
    inside = false;
    if (Chance(random, 20)) throw std::runtime_error("a callback that throws");
  }

  std::uint64_t calls() const { return calls_; }

 private:
  template <typename T>
  class Slot {
   public:
    /// The caller destroys the previous value, outside the lock.
    std::shared_ptr<T> Take() { return Put(nullptr); }
    std::shared_ptr<T> Put(std::shared_ptr<T> value) {
      const std::lock_guard lock(mutex_);
      value_.swap(value);
      return value;
    }
    std::shared_ptr<T> Copy() const {
      const std::lock_guard lock(mutex_);
      return value_;
    }

   private:
    mutable std::mutex mutex_;
    std::shared_ptr<T> value_;
  };

  void NewFactory() {
    FactoryOptions options{.resync = 1s, .threads = 2, .logger = Logger::None()};
    options.backoff = {.initial = 2ms, .factor = 2.0, .cap = 50ms};
    factory_.Put(
        std::make_shared<SharedInformerFactory>(*Client::Create(config_, {.logger = Logger::None()}), options));
  }

  void With(std::size_t slot, const std::function<void(const SharedInformer&)>& call) {
    if (const auto informer = informers_[slot].Copy()) call(*informer);
  }

  void MakeInformer(Random& random, std::size_t slot) {
    const auto factory = factory_.Copy();
    if (factory == nullptr) return;
    const auto on_error = [this](const Error&) { Sometimes(); };
    const NamedTransform transform{.function = [this](ObjectPtr object) -> Result<ObjectPtr> {
      Sometimes();
      return object;
    }};
    std::optional<SharedInformer> made;
    const std::size_t which = Below(random, 4);
    if (which == 0) {
      made.emplace(
          factory->ForSource(models_[Below(random, models_.size())], {.transform = transform, .on_error = on_error}));
    } else {
      Selection selection;
      InformerOptions options{.on_error = on_error};
      if (which == 1) options.namespaces = std::vector<std::string>{"default", "kube-system"};
      if (which == 2) selection.namespace_name = "default";
      if (Chance(random, 2)) options.transform = transform;
      if (Chance(random, 2)) options.tweak = {.list = [this](ListRequest&) { Sometimes(); }};
      made.emplace(factory->For<ConfigMap>(selection, options).Untyped());
    }
    made->Start();
    informers_[slot].Put(std::make_shared<SharedInformer>(*std::move(made)));
  }

  void AddHandler(Random& random, const SharedInformer& informer) {
    auto added = informer.AddEventHandler({.on_add = [this](const ObjectPtr&, bool) { Sometimes(); },
                                           .on_update = [this](const ObjectPtr&, const ObjectPtr&) { Sometimes(); },
                                           .on_delete = [this](const Deleted<ObjectPtr>&) { Sometimes(); }},
                                          {.overflow = Chance(random, 2) ? Overflow::kCoalesce : Overflow::kUnbounded});
    if (!added) return;
    registrations_[Below(random, kSlots)].Put(std::make_shared<InformerRegistration>(*std::move(added)));
  }

  const Config config_;
  const std::uint64_t seed_;
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<bool> ending_ = false;
  std::array<std::shared_ptr<ModelServer>, 2> models_;
  Slot<SharedInformerFactory> factory_;
  std::array<Slot<SharedInformer>, kSlots> informers_;
  std::array<Slot<InformerRegistration>, kSlots> registrations_;
};

/// Aborts the process if a thread's call does not return: a deadlock should fail here, not time out the suite.
class Watchdog {
 public:
  explicit Watchdog(std::size_t threads) : began_(threads) {
    for (auto& began : began_) began = 0;
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (Clock::System()->SleepFor(1s, stop)) Check();
    });
  }
  template <typename Call>
  void Run(std::size_t thread, Call&& call) {
    began_[thread] = Now();
    call();
    began_[thread] = 0;
  }

 private:
  static std::int64_t Now() { return Clock::System()->Now().time_since_epoch().count(); }
  void Check() const {
    for (const auto& began : began_) {
      const std::int64_t since = began;
      if (since != 0 && Duration(Now() - since) > kStuck) {
        std::fputs("stress: a call has not returned for a minute\n", stderr);
        std::abort();
      }
    }
  }
  std::vector<std::atomic<std::int64_t>> began_;
  std::jthread thread_;
};

std::uint64_t Seed() {
  const char* const text = std::getenv("KINFORMER_STRESS_SEED");
  if (text == nullptr) return 7;
  if (std::string(text) == "random") return std::random_device{}();
  return std::stoull(text);
}

std::chrono::seconds Span() {
  const char* const text = std::getenv("KINFORMER_STRESS_SECONDS");
  return std::chrono::seconds(text == nullptr ? 3 : std::stol(text));
}

TEST(InformerStressTest, AnyCallFromAnyThreadAndAnyCallbackReturnsAndTheCacheIsRightInTheEnd) {
  const std::uint64_t seed = Seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  MortalServer server;
  constexpr std::size_t kThreads = 4;
  std::uint64_t calls = 0;
  {
    World world(server.config(), seed);
    std::atomic<bool> done = false;
    Watchdog watchdog(kThreads + 1);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Random random(seed * 31 + t);
        while (!done) {
          watchdog.Run(t, [&] { world.Act(random, false); });
        }
      });
    }
    threads.emplace_back([&] {
      Random random(seed * 37);
      const Client client = *Client::Create(server.config(), {.logger = Logger::None()});
      while (!done) {
        watchdog.Run(kThreads, [&] {
          for (int i = 0; i < 50; ++i) {
            const nlohmann::json object = {
                {"apiVersion", "v1"},
                {"kind", "ConfigMap"},
                {"metadata", {{"name", "c" + std::to_string(Below(random, 20))}, {"namespace", "default"}}}};
            (void)client.For<ConfigMap>().Create(**Object::FromJson(object), {.timeout = 1s});
          }
          server.Kill();
          server.Start();
        });
      }
    });
    (void)Clock::System()->SleepFor(Span(), {});
    done = true;
    for (std::thread& thread : threads) thread.join();
    calls = world.calls();
  }
  EXPECT_GT(calls, 0U);

  SharedInformerFactory factory(*Client::Create(server.config()));
  const auto config_maps = factory.For<ConfigMap>({.namespace_name = "default"});
  factory.Start();
  const Result<void> synced = factory.WaitForCacheSync(10s);
  ASSERT_TRUE(synced.ok()) << ToString(synced.error());
  const auto listed = Client::Create(server.config())->For<ConfigMap>().List({.namespace_name = "default"});
  ASSERT_TRUE(listed.ok());
  EXPECT_EQ(config_maps.Lister().Size(), listed->items.size());
}

}  // namespace
}  // namespace kinformer
