#ifndef KINFORMER_TEST_CHAOS_OBSERVER_H_
#define KINFORMER_TEST_CHAOS_OBSERVER_H_

// In:     a factory whose client connects through the proxy
// Out:    one informer whose handlers are checked by witnesses; it can be recreated, and its namespaces changed
// Thread: the run's; witnesses are called on their handlers' threads
// Next:   chaos_run.cc

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kinformer/informer/shared_informer_factory.h>

#include "src/base/mutex.h"
#include "test/chaos/violations.h"
#include "test/chaos/witness.h"

namespace kinformer::chaos {

/// An event handler that feeds a Witness.
class HandlerProbe {
 public:
  /// `slowness`: how long the handler sleeps per event.
  HandlerProbe(WitnessOptions options, std::chrono::milliseconds slowness, Violations& violations, Figures& figures)
      : slowness_(slowness), violations_(violations), figures_(figures), witness_(std::move(options)) {}

  EventHandler Handler();
  World Seen() const;
  const std::string& name() const { return witness_.name(); }

 private:
  template <typename Tell>
  void Hear(Tell tell);

  const std::chrono::milliseconds slowness_;
  Violations& violations_;
  Figures& figures_;
  mutable Mutex mutex_;
  Witness witness_;  ///< Guarded by mutex_, except its name.
};

struct HandlerSpec {
  std::string name = "quick";
  HandlerOptions options{};
  std::chrono::milliseconds slowness{0};
};

struct ObserverSpec {
  std::string name{};
  Selection selection{};
  /// The observer overrides its backoff and on_error.
  InformerOptions informer{};
  bool metadata_only = false;
  std::vector<HandlerSpec> handlers{HandlerSpec{}};
};

/// An object on the server, with the fields that decide which observers see it.
struct ServerObject {
  State state{};
  std::string namespace_name{};
  std::string tier{};
};
using ServerWorld = std::map<std::string, ServerObject>;

class Observer {
 public:
  Observer(ObserverSpec spec, SharedInformerFactory& factory, Violations& violations, Figures& figures);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  const std::string& name() const { return spec_.name; }
  const SharedInformer& informer() const { return *informer_; }
  std::uint64_t Lists() const { return informer_->Status().lists; }

  /// Releases the informer and requests a new one.
  void Remake();
  /// Replaces the nth handler by a new one, which starts without any state.
  void ReplaceHandler(std::size_t n);
  void SetNamespaces(const std::vector<std::string>& namespaces);

  /// "" if the cache and every handler's view match the server, else which one differs and how.
  std::string Compare(const ServerWorld& server) const;

 private:
  struct Registered {
    std::unique_ptr<HandlerProbe> probe;
    InformerRegistration registration;  ///< Destroyed before `probe`, so that the probe is no longer called.
  };

  void Make();
  void LetGo();
  Registered Register(const HandlerSpec& spec);

  ObserverSpec spec_;
  SharedInformerFactory& factory_;
  Violations& violations_;
  Figures& figures_;
  std::unique_ptr<SharedInformer> informer_;
  std::vector<Registered> handlers_;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_OBSERVER_H_
