#include "src/apiserver/endpoints/request_tracker.h"

#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

constexpr std::chrono::seconds kSweepInterval{1};

}  // namespace

RequestTracker::RequestTracker(TaskPool& pool, RequestLimits limits)
    : pool_(pool), limits_(limits), state_(std::make_shared<State>()), tasks_(pool) {}

RequestTracker::~RequestTracker() { StopAll(); }

std::shared_ptr<RequestTracker::Ticket> RequestTracker::Begin(RequestKind kind) {
  std::atomic<std::size_t>& count = state_->counts.at(static_cast<std::size_t>(kind));
  const std::size_t before = count.fetch_add(1);
  const bool full = (kind == RequestKind::kReadOnly && before >= limits_.read_only) ||
                    (kind == RequestKind::kMutating && before >= limits_.mutating) ||
                    (kind == RequestKind::kHealth && before >= limits_.health);
  if (full) {
    count.fetch_sub(1);
    return nullptr;
  }
  auto ticket = std::make_shared<Ticket>();
  ticket->deadline = pool_.clock()->Now() + limits_.timeout;
  ticket->leave = std::shared_ptr<void>(nullptr, [state = state_, &count](void*) { count.fetch_sub(1); });
  const MutexLock lock(state_->mutex);
  if (state_->stopped) {
    ticket->stop.request_stop();
    return ticket;
  }
  // Finished requests stay in the list until the next sweep; drop those at the front now.
  while (!state_->tickets.empty() && state_->tickets.front().expired()) state_->tickets.pop_front();
  state_->tickets.push_back(ticket);
  Arm();
  return ticket;
}

std::size_t RequestTracker::Count(RequestKind kind) const {
  return state_->counts.at(static_cast<std::size_t>(kind)).load();
}

void RequestTracker::Arm() {
  if (state_->armed) return;
  state_->armed = tasks_.PostAt(pool_.clock()->Now() + kSweepInterval, [this] { StopOverdue(); });
}

void RequestTracker::StopOverdue() {
  std::vector<std::shared_ptr<Ticket>> overdue;
  const TimePoint now = pool_.clock()->Now();
  {
    const MutexLock lock(state_->mutex);
    state_->armed = false;
    for (auto it = state_->tickets.begin(); it != state_->tickets.end();) {
      std::shared_ptr<Ticket> ticket = it->lock();
      if (ticket != nullptr && ticket->deadline > now) {
        ++it;
        continue;
      }
      if (ticket != nullptr) overdue.push_back(std::move(ticket));
      it = state_->tickets.erase(it);
    }
    if (!state_->tickets.empty()) Arm();
  }
  for (const auto& ticket : overdue) ticket->stop.request_stop();
}

void RequestTracker::StopAll() {
  std::list<std::weak_ptr<Ticket>> all;
  {
    const MutexLock lock(state_->mutex);
    state_->stopped = true;
    all.swap(state_->tickets);
  }
  tasks_.Close();
  for (const auto& weak : all) {
    if (const auto ticket = weak.lock()) ticket->stop.request_stop();
  }
}

}  // namespace kinformer::apiserver
