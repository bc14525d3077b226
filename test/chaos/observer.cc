#include "test/chaos/observer.h"

#include <algorithm>
#include <thread>

#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>

namespace kinformer::chaos {

using namespace std::chrono_literals;

// --- HandlerProbe ---

template <typename Tell>
void HandlerProbe::Hear(Tell tell) {
  ++figures_.events;
  {
    const MutexLock lock(mutex_);
    const bool before = witness_.breach().has_value();
    tell(witness_);
    if (!before && witness_.breach()) violations_.Report(*witness_.breach());
  }
  if (slowness_ != 0ms) std::this_thread::sleep_for(slowness_);
}

EventHandler HandlerProbe::Handler() {
  return {.on_add = [this](const ObjectPtr& object,
                           bool) { Hear([&](Witness& witness) { witness.Added(FactOf(*object)); }); },
          .on_update =
              [this](const ObjectPtr& before, const ObjectPtr& after) {
                Hear([&](Witness& witness) { witness.Updated(FactOf(*before), FactOf(*after)); });
              },
          .on_delete =
              [this](const Deleted<ObjectPtr>& gone) {
                Hear([&](Witness& witness) { witness.Deleted(FactOf(*gone.last_known), gone.final_state_unknown); });
              }};
}

World HandlerProbe::Seen() const {
  const MutexLock lock(mutex_);
  return witness_.world();
}

// --- Observer ---

Observer::Observer(ObserverSpec spec, SharedInformerFactory& factory, Violations& violations, Figures& figures)
    : spec_(std::move(spec)), factory_(factory), violations_(violations), figures_(figures) {
  // Faults come faster than the default cap of 30 seconds.
  spec_.informer.backoff = BackoffOptions{.initial = 50ms, .cap = 1s, .reset_after = 5s};
  spec_.informer.on_error = [this](const Error& error) {
    ++figures_.errors;
    if (IsResourceExpired(error) || IsGone(error)) ++figures_.expired;
    // TLS detects corrupted bytes before the parser sees them: the only acceptable effect is a broken connection.
    if (error.code == ErrorCode::kMalformed) violations_.Report(spec_.name + ": " + ToString(error));
  };
  Make();
}

Observer::~Observer() { LetGo(); }

void Observer::Make() {
  const Resource resource = Resource::Of(core::v1::ConfigMap::kInfo);
  informer_ = std::make_unique<SharedInformer>(spec_.metadata_only
                                                   ? factory_.ForMetadata(resource, spec_.selection, spec_.informer)
                                                   : factory_.ForResource(resource, spec_.selection, spec_.informer));
  for (const HandlerSpec& handler : spec_.handlers) handlers_.push_back(Register(handler));
  informer_->Start();
}

void Observer::LetGo() {
  if (!informer_) return;
  figures_.lists_of_gone += Lists();
  handlers_.clear();
  informer_.reset();
}

Observer::Registered Observer::Register(const HandlerSpec& spec) {
  Registered registered;
  registered.probe =
      std::make_unique<HandlerProbe>(WitnessOptions{.name = spec_.name + "/" + spec.name,
                                                    .resyncs = spec.options.resync != 0ms,
                                                    .looks_away = spec_.informer.namespaces.has_value(),
                                                    .folds = spec.options.overflow == Overflow::kCoalesce},
                                     spec.slowness, violations_, figures_);
  registered.registration = informer_->AddEventHandler(registered.probe->Handler(), spec.options).value();
  return registered;
}

void Observer::Remake() {
  LetGo();
  Make();
}

void Observer::ReplaceHandler(std::size_t n) {
  n %= handlers_.size();
  handlers_[n].registration.Remove();
  handlers_[n] = Register(spec_.handlers[n]);
}

void Observer::SetNamespaces(const std::vector<std::string>& namespaces) {
  spec_.informer.namespaces = namespaces;
  if (const auto set = informer_->SetNamespaces(namespaces); !set) {
    violations_.Report(spec_.name + ": namespaces are not taken: " + ToString(set.error()));
  }
}

std::string Observer::Compare(const ServerWorld& server) const {
  const Selection& selection = spec_.selection;
  const std::optional<std::vector<std::string>>& namespaces = spec_.informer.namespaces;
  World expected;
  for (const auto& [key, object] : server) {
    if (namespaces && std::find(namespaces->begin(), namespaces->end(), object.namespace_name) == namespaces->end()) {
      continue;
    }
    if (!namespaces && !selection.namespace_name.empty() && object.namespace_name != selection.namespace_name) {
      continue;
    }
    if (selection.label_selector.find("tier=web") != std::string::npos && object.tier != "web") continue;
    expected[key] = object.state;
  }
  World cached;
  for (const ObjectPtr& object : informer_->Lister().List()) {
    const Fact fact = FactOf(*object);
    cached[fact.key] = fact.state;
  }
  if (const std::string difference = Difference(cached, expected); !difference.empty()) {
    const InformerStatus status = informer_->Status();
    return "the cache of " + spec_.name + " (at " + status.resource_version +
           ", last error: " + (status.last_error ? ToString(*status.last_error) : "none") +
           ") is not the server:" + difference;
  }
  for (const Registered& handler : handlers_) {
    if (const std::string difference = Difference(handler.probe->Seen(), expected); !difference.empty()) {
      return "what " + handler.probe->name() + " was notified of is not what the server has:" + difference;
    }
  }
  return "";
}

}  // namespace kinformer::chaos
