#ifndef KINFORMER_SRC_LISTWATCH_WATCH_WATCH_SERVER_H_
#define KINFORMER_SRC_LISTWATCH_WATCH_WATCH_SERVER_H_

// In:     the events of a watch, pulled
// Out:    lines of a chunked response, or frames of a WebSocket
// Thread: short tasks on the pool, one at a time per watch; none of its own
// Next:   OutputStream

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <unordered_set>

#include <kinformer/reflector/lister_watcher.h>

#include "src/base/mutex.h"
#include "src/base/task_pool.h"
#include "src/http/http_exchange.h"

namespace kinformer::apiserver {

/// Intercepts the events of one watch on their way to the client, for fault injection.
///
/// @par Thread Safety
/// Called by one thread at a time, from tasks on the pool: must not block.
class WatchInterceptor {
 public:
  enum class Next {
    kGoOn,
    kEnd,      ///< End the watch normally.
    kAbandon,  ///< The interceptor has ended or broken the connection (OutputStream::Raw).
    kPause,    ///< OnTurn only: pull nothing until the interceptor wakes the watch.
  };

  virtual ~WatchInterceptor() = default;
  /// True: no fault is pending, so events may bypass OnEvent and be written in batches.
  virtual bool PassesThrough() const { return false; }
  /// Called first. `wake` schedules a call of OnTurn; it may be kept, and called from any thread at any time.
  virtual void Attach(std::function<void()> /*wake*/) {}  // NOLINT(performance-unnecessary-value-param): others keep it
  /// The head of the response has been sent, but no event.
  virtual Next OnBegin(OutputStream& /*out*/) { return Next::kGoOn; }
  /// Called before the watch pulls events, and after it was woken.
  virtual Next OnTurn(OutputStream& /*out*/) { return Next::kGoOn; }
  /// Replaces the writing of `line`, which is all parts of one event including the newline (none in a WebSocket).
  /// Writes that line, or something else, at most once.
  virtual Next OnEvent(const WatchEvent& event, std::span<const Buffer> line, OutputStream& out) = 0;
};

/// The part of an object that the client requested.
enum class ObjectForm {
  kWhole,
  kMetadata,  ///< As a PartialObjectMetadata.
};

/// Writes the objects of one watch in another format, such as a Table.
///
/// @par Thread Safety
/// Called by one thread at a time.
class EventObjectWriter {
 public:
  virtual ~EventObjectWriter() = default;
  /// Appends the text of the event's object. Not called for errors, which are always written as a Status.
  virtual void Append(const WatchEvent& event, std::vector<Buffer>& parts) = 0;
};

/// Appends the text of an object without copying it.
void AppendObject(const ObjectPtr& object, ObjectForm form, std::vector<Buffer>& parts);

struct ServeOptions {
  ObjectForm form = ObjectForm::kWhole;
  /// Overrides `form`.
  std::unique_ptr<EventObjectWriter> writer{};
  std::unique_ptr<WatchInterceptor> interceptor{};
  /// Released when the watch has ended, for whatever reason.
  std::shared_ptr<void> until_end{};
};

/// Serves all watches of a server.
///
/// A watch runs as a task whenever it has something to send and the client accepts it; otherwise it costs only its
/// queues. All watchers of an object send the same bytes. A watch ends with its events, its client or the server; its
/// WatchEventStream is destroyed soon afterwards.
///
/// @par Thread Safety
/// All functions may be called from any thread; Stop not from a task of the pool.
class WatchServer {
 public:
  /// The pool must outlive it, and must run until Stop has returned.
  explicit WatchServer(TaskPool& pool);
  ~WatchServer();
  WatchServer(const WatchServer&) = delete;
  WatchServer& operator=(const WatchServer&) = delete;

  /// Writes one line per event; several may share a chunk. Ends after an ERROR event.
  void Serve(std::unique_ptr<WatchEventStream> events, std::shared_ptr<HttpStream> out, ServeOptions options = {});
  /// Writes one text frame per event; closes with 1000.
  void Serve(std::unique_ptr<WatchEventStream> events, std::shared_ptr<WebSocketStream> out, ServeOptions options = {});

  /// Ends all watches; later ones end at once.
  void Stop();
  /// Number of watches being served.
  std::size_t Count() const;

 private:
  class ServedWatch;
  struct Watches;
  void Begin(const std::shared_ptr<ServedWatch>& watch);

  TaskPool& pool_;
  const std::shared_ptr<Watches> watches_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_WATCH_WATCH_SERVER_H_
