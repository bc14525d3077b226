#ifndef KINFORMER_SRC_APISERVER_FAULTS_STREAM_SCRIPT_H_
#define KINFORMER_SRC_APISERVER_FAULTS_STREAM_SCRIPT_H_

// In:     the events of one watch, the time, and the faults that were chosen for it
// Out:    what is done to the connection instead
// Thread: one at a time; pure
// Next:   FaultInjector's interceptor, which does it

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
#include "src/apiserver/http/buffer.h"

namespace kinformer::apiserver {

/// The parts of an event's line, with the newline where there is one.
using EventLine = std::vector<Buffer>;

/// One thing to do to a watch's connection.
struct StreamStep {
  enum class Kind {
    kWrite,
    kByteByByte,
    kServer,  ///< `fault` is about more than this watch, which goes on.
    // The last of a watch:
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
  /// Counts a strike; false: it must not be.
  using Strike = std::function<bool(Faults::Id)>;

  /// `newline`: each event is a line; else a frame. `request` is the watch's.
  StreamScript(const RequestInfo& request, bool newline, Strike strike);

  void Join(const std::vector<JoinedFault>& faults);

  /// What is due without an event: faults that strike between events, and those whose time has come.
  std::vector<StreamStep> OnTurn(TimePoint now);
  /// `line` is the event as it would be written: `{"type":"...","object":...}` in parts.
  std::vector<StreamStep> OnEvent(TimePoint now, const WatchEvent& event, const EventLine& line);

  /// When OnTurn has something to do at the latest.
  std::optional<TimePoint> NextTime() const;
  /// Whether no event may be taken now.
  bool Paused(TimePoint now) const { return pause_until_ && now < *pause_until_; }

 private:
  struct Active {
    JoinedFault joined{};
    std::uint64_t seen = 0;  ///< Events since it joined.
    bool done = false;

    bool Due() const { return !done && seen >= joined.fault.after; }
  };
  struct Late {
    TimePoint when{};
    EventLine line{};
  };

  bool Begins(Active& active);
  void StrikeBetween(TimePoint now);
  /// False: the line is not to be written, or not now.
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

  GroupVersionKind gvk_;           ///< Of the objects, once one was seen.
  std::optional<EventLine> held_;  ///< By reorder.
  std::string deleted_;            ///< By replace-uid: namespace/name whose DELETED was kept back.
  std::vector<Late> late_;
  std::optional<TimePoint> pause_until_;
  std::size_t coalesce_ = 0;  ///< Events of a chunk; zero: no such fault.
  Duration coalesce_time_{0};
  EventLine gathered_;
  std::size_t gathered_count_ = 0;
  TimePoint gathered_until_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTS_STREAM_SCRIPT_H_
