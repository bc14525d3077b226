#ifndef KINFORMER_SRC_TRANSPORT_CONNECTION_HEALTH_H_
#define KINFORMER_SRC_TRANSPORT_CONNECTION_HEALTH_H_

// In:     events on connections, and the time
// Out:    which connections to probe, which to shut down
// Thread: the I/O thread; pure, no clock of its own
// Next:   CurlTransport's loop, which executes the actions

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <kinformer/base/clock.h>

namespace kinformer::internal {

struct ConnectionHealthOptions {
  /// A connection that carries requests and has been silent for this long is probed with a small request...
  Duration probe_after = std::chrono::seconds(30);
  /// ...which must be answered within this time. Together below the 50 s within which a half-open connection is
  /// replaced.
  Duration probe_timeout = std::chrono::seconds(15);
};

/// Detects connections that are open but dead: a peer that vanished, a middlebox that dropped the connection, a proxy
/// that stopped forwarding. libcurl cannot send HTTP/2 pings, so the probe is a request.
///
/// On HTTP/2 the probe uses the suspect connection itself. On HTTP/1.1 (and if an HTTP/2 connection has no stream left)
/// it must use another one. If that probe is answered, the suspect remains untested and is shut down only if it carries
/// a resumable stream.
class ConnectionHealth {
 public:
  using Id = std::uint64_t;
  enum class ActionKind { kProbe, kShutDown };
  struct Action {
    ActionKind kind;
    Id connection;

    bool operator==(const Action&) const = default;
  };

  explicit ConnectionHealth(ConnectionHealthOptions options = {}) : options_(options) {}

  void StreamJoined(Id connection, TimePoint now, bool resumable);
  void StreamLeft(Id connection, bool resumable);
  /// Data arrived on the connection.
  void OnData(Id connection, TimePoint now);
  /// A slow reader pauses one of its streams (or resumes it): silence is then expected.
  void OnPaused(Id connection, bool paused, TimePoint now);
  /// The probe for this connection was answered, on whichever connection it was sent. If that was the suspect itself,
  /// OnData was called before.
  void ProbeAnswered(Id suspect);
  void Closed(Id connection) { connections_.erase(connection); }

  std::vector<Action> Tick(TimePoint now);
  /// When Tick is next due, if nothing else happens.
  std::optional<TimePoint> NextTick() const;

 private:
  enum class Probe { kNone, kSent, kAnsweredElsewhere };
  struct Connection {
    int streams = 0;
    int resumable = 0;
    int paused = 0;
    TimePoint quiet_since{};
    Probe probe = Probe::kNone;
    TimePoint probe_deadline{};
    bool shut_down = false;
  };

  std::optional<TimePoint> Due(const Connection& connection) const;

  ConnectionHealthOptions options_;
  std::map<Id, Connection> connections_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_CONNECTION_HEALTH_H_
