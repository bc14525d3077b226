#ifndef KINFORMER_SRC_TRANSPORT_CONNECTION_HEALTH_H_
#define KINFORMER_SRC_TRANSPORT_CONNECTION_HEALTH_H_

// In:     what happens on connections, and the time
// Out:    which connection to probe, which to shut down
// Thread: the I/O thread; pure, no clock of its own
// Next:   CurlTransport's loop, which carries the actions out

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <kinformer/base/clock.h>

namespace kinformer::internal {

struct ConnectionHealthOptions {
  /// A connection that carries requests and has been silent for this long gets a small request...
  Duration probe_after = std::chrono::seconds(30);
  /// ...which has this long to be answered. Together below the 50 s within which a half-open connection is replaced.
  Duration probe_timeout = std::chrono::seconds(15);
};

/// Finds connections that are open and dead: a peer that vanished, a middlebox that forgot the connection, a proxy that
/// stopped forwarding. libcurl cannot send HTTP/2 pings, so the probe is a request.
///
/// On HTTP/2 the probe travels on the suspect connection itself. On HTTP/1.1 (and where an HTTP/2 connection has no
/// stream left) it must take another one: if that is answered, the suspect remains untested and is given up only
/// where its streams can be taken up again.
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
  /// Any byte arrived on it.
  void Heard(Id connection, TimePoint now);
  /// A slow reader holds a stream of it up (or no longer does): its silence is our own doing.
  void HeldUp(Id connection, bool held_up, TimePoint now);
  /// The probe for this connection was answered, on whichever connection it travelled. If that was the suspect, Heard
  /// was called for it before.
  void ProbeAnswered(Id suspect);
  void Closed(Id connection) { connections_.erase(connection); }

  std::vector<Action> Tick(TimePoint now);
  /// When Tick has something to do, if nothing else happens.
  std::optional<TimePoint> NextTick() const;

 private:
  enum class Probe { kNone, kUnderWay, kAnsweredElsewhere };
  struct Connection {
    int streams = 0;
    int resumable = 0;
    int held_up = 0;
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
