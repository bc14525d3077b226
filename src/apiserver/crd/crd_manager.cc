#include "src/apiserver/crd/crd_manager.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <kinformer/base/backoff.h>
#include <kinformer/meta/status_error.h>

#include "src/apiserver/crd/crd_names.h"
#include "src/apiserver/crd/crd_rules.h"
#include "src/base/mutex.h"
#include "src/base/user_code.h"
#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::JsonText;
using internal::TextOf;
using nlohmann::json;

/// Backoff for definitions that failed or wait for finalizers. Uses the system clock, not options_.clock, because it
/// waits for work on other threads.
constexpr std::chrono::milliseconds kFirstRetry{50};
constexpr std::chrono::seconds kLastRetry{10};
constexpr int kApplyTries = 10;
constexpr const char* kManager = "kinformer-apiserver";

std::string GroupOf(const json& definition) { return TextOf(FieldOf(definition, "spec"), "group"); }

/// A definition stored by another program may have no status.
json& StatusOf(json& definition) {
  json& status = definition["status"];
  if (!status.is_object()) status = json::object();
  return status;
}

bool HasCleanup(const Object& definition) {
  const auto& finalizers = definition.Finalizers();
  return std::find(finalizers.begin(), finalizers.end(), kCleanupFinalizer) != finalizers.end();
}

}  // namespace

/// Shared with notifications, which may outlive the manager, and with waiting callers.
struct CrdManager::Signal {
  struct Outcome {
    std::string uid{};
    std::int64_t generation = 0;
    bool served = false;
    /// Why it is not served, or not under all its names; empty: no problem.
    std::string message{};
  };

  mutable Mutex mutex;
  CondVar changed;
  bool news KINFORMER_GUARDED_BY(mutex) = true;
  CondVar settled;
  bool synced KINFORMER_GUARDED_BY(mutex) = false;
  bool stopped KINFORMER_GUARDED_BY(mutex) = false;
  std::map<std::string, Outcome> outcomes KINFORMER_GUARDED_BY(mutex);

  void Wake() {
    {
      const MutexLock lock(mutex);
      news = true;
    }
    changed.NotifyAll();
  }
};

CrdManager::CrdManager(CrdManagerOptions options)
    : options_(std::move(options)),
      signal_(std::make_shared<Signal>()),
      kinds_(*options_.host),
      retries_({.initial = kFirstRetry, .cap = kLastRetry}) {}

CrdManager::~CrdManager() { Stop(); }

void CrdManager::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void CrdManager::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  {
    const MutexLock lock(signal_->mutex);
    signal_->stopped = true;
  }
  signal_->settled.NotifyAll();
  kinds_.Clear();
}

void CrdManager::Run(const std::stop_token& stop) {
  pthread_setname_np(pthread_self(), "kinformer-crd");
  ObjectFollower follower([signal = signal_] { signal->Wake(); }, options_.logger);
  follower.SetStores({options_.definitions});
  std::optional<TimePoint> again;
  Backoff backoff({.initial = kFirstRetry, .cap = kLastRetry, .jitter = 0});
  bool failed = false;
  for (;;) {
    {
      MutexLock lock(signal_->mutex);
      // After a failure, news is not processed before the retry.
      signal_->changed.Wait(lock, *Clock::System(), again, stop,
                            [&]() KINFORMER_REQUIRES(signal_->mutex) { return !failed && signal_->news; });
      signal_->news = false;
    }
    if (stop.stop_requested()) return;
    const TimePoint now = Clock::System()->Now();
    const auto thrown = internal::Contain([&] {
      for (const ObjectNews& news : follower.Next(now, stop)) Take(news);
      again = Earlier(Work(now, stop), follower.NextTry());
    });
    failed = thrown.has_value();
    if (failed) {
      again = now + backoff.Next(now);
      options_.logger.Error("apiserver", "processing CustomResourceDefinitions failed, will be retried",
                            {{"error", *thrown}});
    } else {
      backoff.Reset();
      if (follower.Complete()) {
        const MutexLock lock(signal_->mutex);
        signal_->synced = true;
      }
    }
    signal_->settled.NotifyAll();
  }
}

void CrdManager::Take(const ObjectNews& news) {
  const std::string name(news.object->Name());
  if (!news.gone) {
    definitions_[name] = news.object;
    due_.insert(name);
    return;
  }
  const auto known = definitions_.find(name);
  if (known == definitions_.end() || known->second->Uid() != news.object->Uid()) return;
  emptied_.erase(std::string(known->second->Uid()));
  definitions_.erase(known);
  // Its names are free now; other definitions may be waiting for them.
  due_.insert(name);
  for (const auto& [other, definition] : definitions_) due_.insert(other);
}

std::optional<TimePoint> CrdManager::Work(TimePoint now, const std::stop_token& stop) {
  for (std::string& name : retries_.TakeDue(now)) due_.insert(std::move(name));
  while (!due_.empty() && !stop.stop_requested()) {
    const std::string name = *due_.begin();
    due_.erase(due_.begin());
    Result<bool> synced = true;
    if (const auto thrown = internal::Contain([&] { synced = Sync(name, stop); })) {
      synced = Error{.code = ErrorCode::kInternal, .message = *thrown};
    }
    if (synced.ok() && *synced) {
      retries_.Forget(name);
    } else if (synced.ok()) {
      retries_.Later(name, now);
    } else {
      retries_.Fail(name, now);
      if (stop.stop_requested()) break;
      options_.logger.Warning("apiserver", "a CustomResourceDefinition failed, will be retried",
                              {{"name", name}, {"error", synced.error().message}});
    }
    Publish(name, synced);
  }
  return retries_.Next();
}

Result<bool> CrdManager::Sync(const std::string& name, const std::stop_token& stop) {
  const auto known = definitions_.find(name);
  if (known == definitions_.end()) {
    kinds_.Remove(name, stop);
    return true;
  }
  const json before = known->second->ToJson();
  if (known->second->DeletionTimestamp() && HasCleanup(*known->second)) return Terminate(name, before, stop);

  TakenNames taken;
  const std::string group = GroupOf(before);
  for (const auto& [other, definition] : definitions_) {
    if (other == name) continue;
    if (const json one = definition->ToJson(); GroupOf(one) == group) taken.AddAccepted(one);
  }
  for (const ServedKind& kind : BuiltInKinds()) {
    if (kind.resource.group == group) taken.Add(kind);
  }
  if (group == CustomResourceDefinitionKind().resource.group) taken.Add(CustomResourceDefinitionKind());

  const NamesGranted granted = GrantNames(before, taken);
  const Timestamp now = options_.clock->WallNow();
  json after = before;
  json& status = StatusOf(after);
  status["acceptedNames"] = granted.names;
  SetCondition(status, "NamesAccepted", granted.all, granted.reason, granted.message, now);
  if (!IsConditionTrue(before, "Established")) {
    if (granted.all) {
      SetCondition(status, "Established", true, "InitialNamesAccepted", "the initial names have been accepted", now);
    } else {
      SetCondition(status, "Established", false, "NotAccepted", "not all names are accepted", now);
    }
  }
  // Serve it before its status says so.
  if (IsConditionTrue(after, "Established")) {
    if (const Result<void> served = kinds_.Serve(after, stop); !served) return served.error();
  }
  if (after == before) return true;
  const Result<bool> written = Write(name, Subresource::kStatus, after, stop);
  if (!written.ok()) return written.error();
  // It may have released names that others wait for.
  if (*written && !TextOf(FieldOf(FieldOf(before, "status"), "acceptedNames"), "plural").empty()) {
    for (const auto& [other, definition] : definitions_) {
      if (other != name) due_.insert(other);
    }
  }
  return true;
}

Result<bool> CrdManager::Terminate(const std::string& name, json definition, const std::stop_token& stop) {
  const std::string uid = TextOf(FieldOf(definition, "metadata"), "uid");
  // The definition may have been deleted before its status said that it is established.
  const bool established = IsConditionTrue(definition, "Established") || kinds_.Serves(name);
  if (established && !emptied_.contains(uid)) {
    const json before = definition;
    SetCondition(StatusOf(definition), "Terminating", true, "InstanceDeletionInProgress",
                 "CustomResource deletion is in progress", options_.clock->WallNow());
    // From here on, creates are rejected.
    if (const Result<void> served = kinds_.Serve(definition, stop); !served) return served.error();
    if (definition != before) {
      const Result<bool> written = Write(name, Subresource::kStatus, definition, stop);
      if (!written.ok() || !*written) return written.ok() ? Result<bool>(true) : written;
      definition = definitions_.at(name)->ToJson();
    }
    Result<bool> empty = kinds_.DeleteObjects(name, {.clock = options_.clock}, stop);
    if (!empty.ok() || !*empty) return empty;
    kinds_.Remove(name, stop);
    emptied_.insert(uid);
  }
  json& finalizers = definition["metadata"]["finalizers"];
  finalizers.erase(std::remove(finalizers.begin(), finalizers.end(), json(kCleanupFinalizer)), finalizers.end());
  Result<bool> written = Write(name, Subresource::kNone, definition, stop);
  if (!written.ok()) return written;
  return true;
}

Result<bool> CrdManager::Write(const std::string& name, Subresource subresource, const json& definition,
                               const std::stop_token& stop) {
  Result<UpdateOutcome> updated =
      options_.definitions->Update("", name, subresource, JsonText(definition), {.field_manager = kManager}, stop);
  if (updated) {
    if (subresource == Subresource::kStatus) definitions_[name] = std::move(updated->object);
    return true;
  }
  if (IsConflict(updated.error()) || IsNotFound(updated.error())) return false;
  return std::move(updated).error();
}

void CrdManager::Publish(const std::string& name, const Result<bool>& synced) {
  const MutexLock lock(signal_->mutex);
  const auto known = definitions_.find(name);
  if (known == definitions_.end()) {
    signal_->outcomes.erase(name);
    return;
  }
  const json definition = known->second->ToJson();
  Signal::Outcome outcome{.uid = std::string(known->second->Uid()),
                          .generation = known->second->Generation(),
                          .served = synced.ok() && kinds_.Serves(name)};
  if (!synced.ok()) outcome.message = synced.error().message;
  for (const json& condition : FieldOf(FieldOf(definition, "status"), "conditions")) {
    const bool refused = TextOf(condition, "type") == "NamesAccepted" && TextOf(condition, "status") == "False";
    if (synced.ok() && refused) outcome.message = TextOf(condition, "reason") + ": " + TextOf(condition, "message");
  }
  signal_->outcomes[name] = std::move(outcome);
}

Result<void> CrdManager::AwaitSynced(std::chrono::seconds timeout) const {
  MutexLock lock(signal_->mutex);
  signal_->settled.Wait(lock, *Clock::System(), Clock::System()->Now() + timeout, {},
                        [this]() KINFORMER_REQUIRES(signal_->mutex) { return signal_->synced || signal_->stopped; });
  if (signal_->synced) return {};
  return Error{.code = ErrorCode::kDeadlineExceeded,
               .message = "the CustomResourceDefinitions could not be read in time"};
}

Result<void> CrdManager::Apply(std::string_view text, std::chrono::seconds timeout) const {
  Result<std::vector<json>> definitions = ReadDefinitionTexts(text);
  if (!definitions) return std::move(definitions).error();
  for (json& definition : *definitions) {
    if (Result<void> applied = ApplyOne(std::move(definition), timeout); !applied) return applied;
  }
  return {};
}

Result<void> CrdManager::ApplyOne(json definition, std::chrono::seconds timeout) const {
  const std::string name = TextOf(FieldOf(definition, "metadata"), "name");
  const WriteParameters parameters{.field_manager = kManager};
  Result<ObjectPtr> written = options_.definitions->Create("", JsonText(definition), parameters, {});
  for (int tries = 0; !written && (IsAlreadyExists(written.error()) || IsConflict(written.error())); ++tries) {
    if (tries == kApplyTries) break;
    const Result<ObjectPtr> current = options_.definitions->Get("", name, "", {});
    if (!current) return current.error();
    definition["metadata"]["resourceVersion"] = (*current)->ResourceVersion();
    Result<UpdateOutcome> updated =
        options_.definitions->Update("", name, Subresource::kNone, JsonText(definition), parameters, {});
    written = updated ? Result<ObjectPtr>(updated->object) : Result<ObjectPtr>(updated.error());
  }
  if (!written) return std::move(written).error();
  const std::string uid((*written)->Uid());
  const std::int64_t generation = (*written)->Generation();
  MutexLock lock(signal_->mutex);
  const auto outcome = [&]() KINFORMER_REQUIRES(signal_->mutex) -> const Signal::Outcome* {
    const auto found = signal_->outcomes.find(name);
    if (found == signal_->outcomes.end()) return nullptr;
    const bool ours = found->second.uid == uid && found->second.generation >= generation;
    return ours && (found->second.served || !found->second.message.empty()) ? &found->second : nullptr;
  };
  signal_->settled.Wait(lock, *Clock::System(), Clock::System()->Now() + timeout, {},
                        [&]() KINFORMER_REQUIRES(signal_->mutex) { return outcome() != nullptr || signal_->stopped; });
  const Signal::Outcome* const found = outcome();
  if (found == nullptr) {
    return Error{.code = ErrorCode::kDeadlineExceeded,
                 .message = "timed out waiting for CustomResourceDefinition " + name + " to be served"};
  }
  if (found->served) return {};
  return Error{.code = ErrorCode::kFailedPrecondition,
               .message = "CustomResourceDefinition " + name + " cannot be served: " + found->message};
}

}  // namespace kinformer::apiserver
