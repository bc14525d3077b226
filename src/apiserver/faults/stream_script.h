#ifndef KINFORMER_SRC_APISERVER_FAULTS_STREAM_SCRIPT_H_
#define KINFORMER_SRC_APISERVER_FAULTS_STREAM_SCRIPT_H_

// In:     the events of one watch, the time, and the faults selected for it
// Out:    the steps to apply to the connection instead
// Thread: one at a time; pure
// Next:   FaultInjector's interceptor, which applies them

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/codec/watch_event.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/faults/fault_plan.h"
#include "src/http/buffer.h"

namespace kinformer::apiserver {

/// The parts of an event's line, including the newline if there is one.
using EventLine = std::vector<Buffer>;

/// One action on a watch's connection.
struct StreamStep {
  enum class Kind {
    kWrite,
    kByteByByte,
    kServer,  ///< Apply `fault` to the server; the watch continues.
    // These end the watch:
    kEnd,
    kReset,
    kStall,
  };
  Kind kind = Kind::kWrite;
  EventLine bytes{};
  JoinedFault fault{};
};

class StreamScript {
 public:
  /// Counts an occurrence. False: the fault must not occur.
  using Strike = std::function<bool(Faults::Id)>;

  /// `newline`: each event is a line; otherwise a frame. `request`: the watch request.
  StreamScript(const RequestInfo& request, bool newline, Strike strike);

  void Join(const std::vector<JoinedFault>& faults);

  /// The steps due without an event: faults between events, and delayed ones.
  std::vector<StreamStep> OnTurn(TimePoint now);
  /// `line`: the event as it would be written, `{"type":"...","object":...}` in parts.
  std::vector<StreamStep> OnEvent(TimePoint now, const WatchEvent& event, const EventLine& line);

  /// The latest time for the next OnTurn; nullopt: none is needed.
  std::optional<TimePoint> NextTime() const;
  /// Whether no event may be pulled now.
  bool Paused(TimePoint now) const { return pause_until_ && now < *pause_until_; }

 private:
  struct Active {
    JoinedFault joined{};
    std::uint64_t seen = 0;  ///< Events since the fault was selected.
    bool done = false;

    bool Due() const { return !done && seen >= joined.fault.after; }
  };
  struct Late {
    TimePoint when{};
    EventLine line{};
  };

  bool Begins(Active& active);
  void StrikeBetween(TimePoint now);
  /// False if the line must not be written now, or at all.
  bool StrikeInitialEnd(TimePoint now, const EventLine& line);
  void StrikeObject(TimePoint now, const WatchEvent& event, EventLine line);
  void Emit(TimePoint now, EventLine line);
  void EmitText(TimePoint now, std::string text);
  void EmitError(TimePoint now, std::string_view object);
  void Flush();
  void Last(StreamStep::Kind kind);
  bool Over() const { return over_; }

  const RequestInfo request_;
  const bool newline_;
  const Strike strike_;
  std::vector<Active> active_;
  std::vector<StreamStep> steps_;
  bool over_ = false;

  GroupVersionKind gvk_;           ///< Of the objects, once one has been seen.
  std::optional<EventLine> held_;  ///< The event delayed by reorder.
  std::string deleted_;            ///< By replace-uid: namespace/name whose DELETED was suppressed.
  std::vector<Late> late_;
  std::optional<TimePoint> pause_until_;
  std::size_t coalesce_ = 0;  ///< Events per chunk; zero: no coalescing.
  Duration coalesce_time_{0};
  EventLine gathered_;
  std::size_t gathered_count_ = 0;
  TimePoint gathered_until_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTS_STREAM_SCRIPT_H_
