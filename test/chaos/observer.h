#ifndef KINFORMER_TEST_CHAOS_OBSERVER_H_
#define KINFORMER_TEST_CHAOS_OBSERVER_H_

// In:     a factory whose client goes through the proxy
// Out:    one informer with witnesses as its handlers, to be stopped, remade and pointed elsewhere
// Thread: the run's; the witnesses are told on their handlers' threads
// Next:   chaos_run.cc

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kinformer/base/mutex.h>
#include <kinformer/informer/shared_informer_factory.h>

#include "test/chaos/violations.h"
#include "test/chaos/witness.h"

namespace kinformer::chaos {

/// A Witness as a handler.
class HandlerProbe {
 public:
  /// `slowness`: how long it sleeps over an event.
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
  Witness witness_;  ///< Guarded by mutex_, but for its name.
};

struct HandlerSpec {
  std::string name = "quick";
  HandlerOptions options{};
  std::chrono::milliseconds slowness{0};
};

struct ObserverSpec {
  std::string name{};
  /// Namespace or namespaces, selectors and so on; its on_error is the observer's.
  InformerOptions informer{};
  std::vector<HandlerSpec> handlers{HandlerSpec{}};
};

/// What the server has, with what decides who sees it.
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

  /// Lets the informer go, and asks for another.
  void Remake();
  /// Another one in place of the nth handler, which has seen nothing yet.
  void ReplaceHandler(std::size_t n);
  void SetNamespaces(const std::vector<std::string>& namespaces);

  /// "" if the cache and all that its handlers were told is what the server has; else who differs, and in what.
  std::string Compare(const ServerWorld& server) const;

 private:
  struct Registered {
    std::unique_ptr<HandlerProbe> probe;
    InformerRegistration registration;  ///< Goes first: the probe is not called any more.
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
