#include "src/apiserver/faults/fault_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinformer {
namespace apiserver {
namespace {

/// `pattern`: "pods", "pods/status", "deployments.apps", "deployments.apps/status", "*"; or a path.
bool MatchesResource(std::string_view pattern, const RequestInfo& request) {
  if (pattern == "*") return true;
  if (pattern.starts_with('/')) return request.path == pattern;
  if (!request.is_resource_request) return false;
  const std::size_t slash = pattern.find('/');
  const std::string_view subresource = slash == std::string_view::npos ? "" : pattern.substr(slash + 1);
  pattern = pattern.substr(0, slash);
  const std::size_t dot = pattern.find('.');
  if (dot != std::string_view::npos && pattern.substr(dot + 1) != request.group) return false;
  return request.resource == pattern.substr(0, dot) && request.subresource == subresource;
}

bool IsDiscovery(const RequestInfo& request) {
  return !request.is_resource_request && request.verb == "get" && request.path.starts_with("/api");
}

bool MatchesDiscovery(std::string_view pattern, const RequestInfo& request, bool aggregated) {
  if (!IsDiscovery(request)) return false;
  // The aggregated documents contain all group-versions; the plain ones only their names, which are never stale.
  if (request.path == "/api" || request.path == "/apis") return aggregated;
  const std::ptrdiff_t slashes = std::count(request.path.begin(), request.path.end(), '/');
  const bool group_version = slashes == (request.path.starts_with("/apis/") ? 3 : 2);
  return group_version && (pattern == "*" || pattern == request.path);
}

bool HasWhatItTakes(FaultKind kind, const RequestInfo& request) {
  const auto value = [&](std::string_view name) {
    const std::string* found = request.query.Find(name);
    return found == nullptr ? std::string() : *found;
  };
  switch (kind) {
    case FaultKind::kExpiredPage:
    case FaultKind::kExpiredPageNoToken:
      return request.verb == "list" && !value("continue").empty();
    case FaultKind::kRejectInitialEvents:
      return request.verb == "watch" && request.query.Flag("sendInitialEvents");
    case FaultKind::kConflictStorm:
      return request.is_resource_request && (request.verb == "update" || request.verb == "patch");
    case FaultKind::kStaleList:
      return request.verb == "list" && value("resourceVersion") == "0";
    case FaultKind::kKindRemoved:
      return request.is_resource_request;
    default:
      return true;
  }
}

bool IsWatch(const RequestInfo& request) { return request.is_resource_request && request.verb == "watch"; }

bool StrikesEvents(const Fault& fault) {
  const FaultPlace place = EntryOf(fault.kind).place;
  return place == FaultPlace::kWatch || place == FaultPlace::kWatchOrOther;
}

bool StrikesRequest(const Fault& fault, const RequestInfo& request, FaultPlace place) {
  const FaultPlace own = EntryOf(fault.kind).place;
  return own == place || (own == FaultPlace::kWatchOrOther && place == FaultPlace::kRequest && !IsWatch(request));
}

}  // namespace

bool Concerns(const Fault& fault, const RequestInfo& request, bool aggregated) {
  if (fault.verb != "*" && fault.verb != request.verb) return false;
  if (fault.kind == FaultKind::kStaleDiscovery) return MatchesDiscovery(fault.resource, request, aggregated);
  return MatchesResource(fault.resource, request) && HasWhatItTakes(fault.kind, request);
}

bool FaultPlan::Entry::UsedUp() const {
  if (fault.times != 0 && strikes >= fault.times) return true;
  return fault.kind == FaultKind::kConflictStorm && strikes >= static_cast<std::uint64_t>(NumberOf(fault));
}

FaultPlan::Id FaultPlan::Add(const Fault& fault) {
  Id id = 0;
  {
    const MutexLock lock(mutex_);
    id = last_id_.load(std::memory_order_relaxed) + 1;
    entries_[id].fault = fault;
    last_id_.store(id, std::memory_order_release);
  }
  NotifyAll();
  return id;
}

bool FaultPlan::Remove(Id id) {
  const MutexLock lock(mutex_);
  return entries_.erase(id) > 0;
}

void FaultPlan::Clear() {
  const MutexLock lock(mutex_);
  entries_.clear();
}

std::uint64_t FaultPlan::Count(Id id) const {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? 0 : found->second.strikes;
}

std::vector<Fault> FaultPlan::All() const {
  const MutexLock lock(mutex_);
  std::vector<Fault> all;
  all.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) all.push_back(entry.fault);
  return all;
}

std::optional<JoinedFault> FaultPlan::StrikeRequest(const RequestInfo& request, FaultPlace place, bool aggregated) {
  const MutexLock lock(mutex_);
  for (auto& [id, entry] : entries_) {
    if (!StrikesRequest(entry.fault, request, place) || entry.UsedUp()) continue;
    if (!Concerns(entry.fault, request, aggregated) || !entry.Chosen()) continue;
    ++entry.strikes;
    return JoinedFault{id, entry.fault};
  }
  return std::nullopt;
}

std::vector<JoinedFault> FaultPlan::BeginWatch(const RequestInfo& request, Id& last_id) {
  std::vector<JoinedFault> joined;
  const MutexLock lock(mutex_);
  for (auto& [id, entry] : entries_) {
    if (!StrikesEvents(entry.fault) || entry.UsedUp() || !Concerns(entry.fault, request)) continue;
    if (entry.Chosen()) joined.push_back({id, entry.fault});
  }
  last_id = last_id_.load(std::memory_order_relaxed);
  return joined;
}

std::vector<JoinedFault> FaultPlan::JoinWatch(const RequestInfo& request, Id& last_id) {
  std::vector<JoinedFault> joined;
  const MutexLock lock(mutex_);
  for (auto it = entries_.upper_bound(last_id); it != entries_.end(); ++it) {
    const Entry& entry = it->second;
    // Running watches have no order, so none is the nth.
    if (entry.fault.nth != 0 || !StrikesEvents(entry.fault) || !Concerns(entry.fault, request)) continue;
    joined.push_back({it->first, entry.fault});
  }
  last_id = last_id_.load(std::memory_order_relaxed);
  return joined;
}

bool FaultPlan::Strike(Id id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.UsedUp()) return false;
  ++found->second.strikes;
  return true;
}

void FaultPlan::MarkRemoved(Id id, std::optional<TimePoint> until) {
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    found->second.removed = true;
    found->second.removed_until = until;
  }
  NotifyAll();
}

bool FaultPlan::IsRemoved(const RequestInfo& request, TimePoint now) const {
  if (!request.is_resource_request) return false;
  const MutexLock lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& item) {
    const Entry& entry = item.second;
    return entry.removed && (!entry.removed_until || now < *entry.removed_until) &&
           MatchesResource(entry.fault.resource, request);
  });
}

std::uint64_t FaultPlan::Subscribe(std::function<void()> changed) {
  const MutexLock lock(mutex_);
  subscribers_.emplace(++last_subscription_, std::move(changed));
  return last_subscription_;
}

void FaultPlan::Unsubscribe(std::uint64_t subscription) {
  std::function<void()> dropped;
  const MutexLock lock(mutex_);
  const auto found = subscribers_.find(subscription);
  if (found == subscribers_.end()) return;
  dropped = std::move(found->second);
  subscribers_.erase(found);
}

void FaultPlan::NotifyAll() {
  std::vector<std::function<void()>> all;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, changed] : subscribers_) all.push_back(changed);
  }
  for (const auto& changed : all) changed();
}

}  // namespace apiserver

Faults::Faults() : plan_(std::make_shared<apiserver::FaultPlan>()) {}
Faults::~Faults() = default;

Result<Faults::Id> Faults::Add(const Fault& fault) {
  if (const Result<void> valid = apiserver::Validate(fault); !valid) return valid.error();
  return plan_->Add(fault);
}

Result<Faults::Id> Faults::Add(std::string_view spec) {
  const Result<Fault> fault = ParseFault(spec);
  if (!fault) return fault.error();
  return plan_->Add(*fault);
}

bool Faults::Remove(Id id) { return plan_->Remove(id); }
void Faults::Clear() { plan_->Clear(); }
std::uint64_t Faults::Count(Id id) const { return plan_->Count(id); }
std::vector<Fault> Faults::All() const { return plan_->All(); }

}  // namespace kinformer
