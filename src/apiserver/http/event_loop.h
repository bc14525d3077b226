#ifndef KINFORMER_SRC_APISERVER_HTTP_EVENT_LOOP_H_
#define KINFORMER_SRC_APISERVER_HTTP_EVENT_LOOP_H_

// In:     sockets, and what other threads have for their owners
// Out:    calls of LoopClients, one at a time
// Thread: the one that calls Run
// Next:   Connection, Listener

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include <kinformer/base/clock.h>

#include "src/apiserver/http/channel.h"

namespace kinformer::apiserver {

/// What lives on a loop. All of its functions are called on the loop's thread.
class LoopClient : public std::enable_shared_from_this<LoopClient> {
 public:
  virtual ~LoopClient() = default;

  virtual void OnReadable() = 0;
  virtual void OnWritable() = 0;
  /// After EventLoop::Schedule.
  virtual void OnScheduled() = 0;
  /// Every now and then, for time limits.
  virtual void OnTick(TimePoint now) = 0;
  /// The loop ends: let go of the socket.
  virtual void OnStop() = 0;
  /// After EventLoop::Interrupt.
  virtual void OnInterrupt() = 0;
};

/// One thread's sockets, on Asio's reactor, which nothing outside event_loop.cc sees.
class EventLoop {
 public:
  explicit EventLoop(std::chrono::milliseconds tick);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Works until RequestStop, and then until every client has been told.
  void Run();
  /// Any thread.
  void RequestStop();

  /// Any thread. Calls OnInterrupt of all clients soon.
  void Interrupt();

  /// Any thread. Calls client->OnScheduled() soon, in turn: some of a burst, then whatever sockets have, then more of
  /// it. Nothing once the loop stops.
  void Schedule(std::shared_ptr<LoopClient> client);
  /// The same, before all that have only been scheduled.
  void ScheduleFirst(std::shared_ptr<LoopClient> client);
  /// Any thread. The client joins the loop and is scheduled; one that comes too late is dropped.
  void Add(std::shared_ptr<LoopClient> client);
  /// The loop's thread.
  void Remove(LoopClient* client);
  TimePoint Now() const { return std::chrono::steady_clock::now(); }
  ChannelScratch& scratch() { return *scratch_; }

 private:
  friend class LoopSocket;
  struct Impl;
  const std::unique_ptr<ChannelScratch> scratch_ = std::make_unique<ChannelScratch>();
  const std::unique_ptr<Impl> impl_;
};

/// A socket of a client. Its functions are for the loop's thread; the loop must outlive it.
class LoopSocket {
 public:
  /// Takes the descriptor over.
  LoopSocket(EventLoop& loop, int fd);
  ~LoopSocket();
  LoopSocket(const LoopSocket&) = delete;
  LoopSocket& operator=(const LoopSocket&) = delete;

  int fd() const { return fd_; }
  /// OnReadable or OnWritable of the client, once, unless the socket is closed before. At most one of each at a time.
  void AwaitReadable(std::shared_ptr<LoopClient> client);
  void AwaitWritable(std::shared_ptr<LoopClient> client);
  void Close();

 private:
  struct Impl;
  int fd_;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_EVENT_LOOP_H_
