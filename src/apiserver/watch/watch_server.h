#ifndef KINFORMER_SRC_APISERVER_WATCH_WATCH_SERVER_H_
#define KINFORMER_SRC_APISERVER_WATCH_WATCH_SERVER_H_

// In:     a watch's events, pulled
// Out:    lines of a chunked answer, or frames of a WebSocket
// Thread: short tasks on the pool, never two of one watch at a time; none of its own
// Next:   OutputStream

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <unordered_set>

#include <kinformer/base/mutex.h>
#include <kinformer/base/task_pool.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/apiserver/http/http_exchange.h"

namespace kinformer::apiserver {

/// Stands between the events of one watch and its client: fault injection.
///
/// @par Thread Safety
/// Called by one thread at a time, a task of the pool's: must not block.
class WatchInterceptor {
 public:
  enum class Next {
    kGoOn,
    kEnd,      ///< End the watch in good order.
    kAbandon,  ///< The interceptor has ended or broken the connection (OutputStream::Raw).
    kPause,    ///< Of OnTurn alone: nothing is pulled until the interceptor wakes the watch.
  };

  virtual ~WatchInterceptor() = default;
  /// True: nothing is to go wrong at present, so events may be written past it, many at a time.
  virtual bool LeavesAlone() const { return false; }
  /// Before all else. `wake` makes OnTurn be called soon; it may be kept, and called from any thread at any time.
  virtual void Attach(std::function<void()> /*wake*/) {}  // NOLINT(performance-unnecessary-value-param): others keep it
  /// The head of the answer is on its way, no event is.
  virtual Next OnBegin(OutputStream& /*out*/) { return Next::kGoOn; }
  /// Whenever the watch is about to look for events, and when it was woken.
  virtual Next OnTurn(OutputStream& /*out*/) { return Next::kGoOn; }
  /// Takes the place of writing `line`, which is all parts of one event with the newline behind it (none in a
  /// WebSocket). It writes that line, or something else, once or never.
  virtual Next OnEvent(const WatchEvent& event, std::span<const Buffer> line, OutputStream& out) = 0;
};

/// What of an object a client wants to see.
enum class ObjectForm {
  kWhole,
  kMetadata,  ///< As a PartialObjectMetadata.
};

/// Writes the objects of one watch in a form of its own, such as a Table.
///
/// @par Thread Safety
/// Called by one thread at a time.
class EventObjectWriter {
 public:
  virtual ~EventObjectWriter() = default;
  /// Appends the text of what the event carries. Not called for errors, which are never in any form but their own.
  virtual void Append(const WatchEvent& event, std::vector<Buffer>& parts) = 0;
};

/// Appends the text of an object, without copying it.
void AppendObject(const ObjectPtr& object, ObjectForm form, std::vector<Buffer>& parts);

struct ServeOptions {
  ObjectForm form = ObjectForm::kWhole;
  /// Takes the place of `form`.
  std::unique_ptr<EventObjectWriter> writer{};
  std::unique_ptr<WatchInterceptor> interceptor{};
  /// Let go when the watch has ended, whoever ended it.
  std::shared_ptr<void> until_end{};
};

/// Serves all watches of a server.
///
/// A watch is a task that runs when there is something to send and the client takes it; in between it costs its
/// queues. All watchers of an object send the same bytes. It ends with its events, with its client, or with the server;
/// its WatchEventStream is then destroyed soon.
///
/// @par Thread Safety
/// All functions may be called from any thread; Stop not from a task of the pool.
class WatchServer {
 public:
  /// The pool must outlive it, and run until Stop has returned.
  explicit WatchServer(TaskPool& pool);
  ~WatchServer();
  WatchServer(const WatchServer&) = delete;
  WatchServer& operator=(const WatchServer&) = delete;

  /// One line per event; several may share a chunk. An ERROR event is the last.
  void Serve(std::unique_ptr<WatchEventStream> events, std::shared_ptr<HttpStream> out, ServeOptions options = {});
  /// One text frame per event; closed with 1000.
  void Serve(std::unique_ptr<WatchEventStream> events, std::shared_ptr<WebSocketStream> out, ServeOptions options = {});

  /// Ends all watches; those that come later end at once.
  void Stop();
  /// Watches that are being served.
  std::size_t Count() const;

 private:
  class ServedWatch;
  struct Watches;
  void Begin(const std::shared_ptr<ServedWatch>& watch);

  TaskPool& pool_;
  const std::shared_ptr<Watches> watches_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_WATCH_WATCH_SERVER_H_
