#include "src/transport/connection_health.h"

namespace kinformer::internal {

void ConnectionHealth::StreamJoined(Id connection, TimePoint now, bool resumable) {
  Connection& c = connections_[connection];
  // An idle connection is expected to be silent. From now on, it is expected to carry a response.
  if (c.streams == 0) {
    c.quiet_since = now;
    c.probe = Probe::kNone;
  }
  ++c.streams;
  if (resumable) ++c.resumable;
}

void ConnectionHealth::StreamLeft(Id connection, bool resumable) {
  const auto it = connections_.find(connection);
  if (it == connections_.end()) return;
  --it->second.streams;
  if (resumable) --it->second.resumable;
}

void ConnectionHealth::OnData(Id connection, TimePoint now) {
  const auto it = connections_.find(connection);
  if (it == connections_.end()) return;
  it->second.quiet_since = now;
  it->second.probe = Probe::kNone;
}

void ConnectionHealth::OnPaused(Id connection, bool paused, TimePoint now) {
  const auto it = connections_.find(connection);
  if (it == connections_.end()) return;
  it->second.paused += paused ? 1 : -1;
  OnData(connection, now);
}

void ConnectionHealth::ProbeAnswered(Id suspect) {
  const auto it = connections_.find(suspect);
  if (it == connections_.end() || it->second.probe != Probe::kSent) return;
  it->second.probe = Probe::kAnsweredElsewhere;
}

std::vector<ConnectionHealth::Action> ConnectionHealth::Tick(TimePoint now) {
  std::vector<Action> actions;
  for (auto& [id, c] : connections_) {
    const std::optional<TimePoint> due = Due(c);
    if (!due || now < *due) continue;
    switch (c.probe) {
      case Probe::kNone:
        c.probe = Probe::kSent;
        c.probe_deadline = SaturatingAdd(now, options_.probe_timeout);
        actions.push_back({ActionKind::kProbe, id});
        break;
      case Probe::kAnsweredElsewhere:
        if (c.resumable == 0) {
          c.probe = Probe::kNone;
          c.quiet_since = now;
          break;
        }
        [[fallthrough]];
      case Probe::kSent:
        c.shut_down = true;
        actions.push_back({ActionKind::kShutDown, id});
        break;
    }
  }
  return actions;
}

std::optional<TimePoint> ConnectionHealth::NextTick() const {
  std::optional<TimePoint> next;
  for (const auto& [id, c] : connections_) {
    const std::optional<TimePoint> due = Due(c);
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

std::optional<TimePoint> ConnectionHealth::Due(const Connection& c) const {
  if (c.streams == 0 || c.paused > 0 || c.shut_down) return std::nullopt;
  return c.probe == Probe::kNone ? SaturatingAdd(c.quiet_since, options_.probe_after) : c.probe_deadline;
}

}  // namespace kinformer::internal
