#ifndef KINFORMER_SRC_HTTP_EVENT_LOOP_H_
#define KINFORMER_SRC_HTTP_EVENT_LOOP_H_

// In:     sockets, and clients scheduled by other threads
// Out:    calls of LoopClients, one at a time
// Thread: the one that calls Run
// Next:   Connection, Listener

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include <kinformer/base/clock.h>

#include "src/http/channel.h"

namespace kinformer::apiserver {

/// A client of a loop. All functions are called on the loop's thread.
class LoopClient : public std::enable_shared_from_this<LoopClient> {
 public:
  virtual ~LoopClient() = default;

  virtual void OnReadable() = 0;
  virtual void OnWritable() = 0;
  /// After EventLoop::Schedule.
  virtual void OnScheduled() = 0;
  /// Periodically, for timeouts.
  virtual void OnTick(TimePoint now) = 0;
  /// The loop is stopping: close the socket.
  virtual void OnStop() = 0;
  /// After EventLoop::Interrupt.
  virtual void OnInterrupt() = 0;
};

/// The sockets of one thread, on Asio's reactor, which is hidden in event_loop.cc.
class EventLoop {
 public:
  explicit EventLoop(std::chrono::milliseconds tick);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Runs until RequestStop, and then until OnStop of every client has returned.
  void Run();
  /// Any thread.
  void RequestStop();

  /// Any thread. Calls OnInterrupt of all clients soon.
  void Interrupt();

  /// Any thread. Calls client->OnScheduled() soon. Large bursts are split, and sockets are served in between. No effect
  /// once the loop stops.
  void Schedule(std::shared_ptr<LoopClient> client);
  /// The same, ahead of all clients scheduled with Schedule.
  void ScheduleFirst(std::shared_ptr<LoopClient> client);
  /// Any thread. Adds the client to the loop and schedules it; drops it if the loop has stopped.
  void Add(std::shared_ptr<LoopClient> client);
  /// Loop thread only.
  void Remove(LoopClient* client);
  TimePoint Now() const { return std::chrono::steady_clock::now(); }
  ChannelScratch& scratch() { return *scratch_; }

 private:
  friend class LoopSocket;
  struct Impl;
  const std::unique_ptr<ChannelScratch> scratch_ = std::make_unique<ChannelScratch>();
  const std::unique_ptr<Impl> impl_;
};

/// A socket of a client. For the loop's thread only; the loop must outlive it.
class LoopSocket {
 public:
  /// Takes ownership of the descriptor.
  LoopSocket(EventLoop& loop, int fd);
  ~LoopSocket();
  LoopSocket(const LoopSocket&) = delete;
  LoopSocket& operator=(const LoopSocket&) = delete;

  int fd() const { return fd_; }
  /// Calls OnReadable or OnWritable once, unless the socket is closed first. At most one wait of each kind at a time.
  void AwaitReadable(std::shared_ptr<LoopClient> client);
  void AwaitWritable(std::shared_ptr<LoopClient> client);
  void Close();

 private:
  struct Impl;
  int fd_;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_EVENT_LOOP_H_
