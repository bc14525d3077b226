#include "src/http/event_loop.h"

#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/user_code.h"

namespace kinformer::apiserver {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Splits bursts that go to thousands of streams: a new request is read after this many clients (half a millisecond),
/// not after all of them.
constexpr std::size_t kClientsPerTurn = 32;

}  // namespace

struct EventLoop::Impl {
  explicit Impl(std::chrono::milliseconds interval) : tick(interval) {}

  void Drain();
  void StopClients();
  std::vector<std::shared_ptr<LoopClient>> Clients() const;
  void ArmTimer();
  /// Adds the client to a list for the next Drain.
  void Enqueue(std::vector<std::shared_ptr<LoopClient>> Impl::*list, std::shared_ptr<LoopClient> client);
  void PostDrain() {
    asio::post(context, [this] { Drain(); });
  }
  void CallDraining();
  /// Calls the next kClientsPerTurn of the clients that are due.
  void CallSome();

  const std::chrono::milliseconds tick;
  // Run by one thread; others post to it.
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  asio::steady_timer timer{context};
  bool ticking = false;
  std::unordered_map<LoopClient*, std::shared_ptr<LoopClient>> clients;
  // Swapped with the lists below, to reuse their capacity.
  std::vector<std::shared_ptr<LoopClient>> draining;
  std::size_t draining_at = 0;
  /// The clients that were due when this turn began, and the number already called.
  std::vector<std::shared_ptr<LoopClient>> turn;
  std::size_t turn_at = 0;

  Mutex mutex;
  bool posted KINFORMER_GUARDED_BY(mutex) = false;
  bool stopped KINFORMER_GUARDED_BY(mutex) = false;
  std::vector<std::shared_ptr<LoopClient>> due KINFORMER_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<LoopClient>> due_first KINFORMER_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<LoopClient>> joining KINFORMER_GUARDED_BY(mutex);
};

EventLoop::EventLoop(std::chrono::milliseconds tick) : impl_(std::make_unique<Impl>(tick)) {}
EventLoop::~EventLoop() = default;

void EventLoop::Run() {
  // An exception is probably out of memory. The client that threw loses its turn; the others continue.
  while (internal::Contain([this] { impl_->context.run(); })) impl_->PostDrain();
}

void EventLoop::RequestStop() {
  asio::post(impl_->context, [impl = impl_.get()] { impl->StopClients(); });
}

void EventLoop::Interrupt() {
  const MutexLock lock(impl_->mutex);
  if (impl_->stopped) return;
  asio::post(impl_->context, [impl = impl_.get()] {
    for (const auto& client : impl->Clients()) client->OnInterrupt();
  });
}

void EventLoop::Schedule(std::shared_ptr<LoopClient> client) { impl_->Enqueue(&Impl::due, std::move(client)); }

void EventLoop::ScheduleFirst(std::shared_ptr<LoopClient> client) {
  impl_->Enqueue(&Impl::due_first, std::move(client));
}

void EventLoop::Add(std::shared_ptr<LoopClient> client) { impl_->Enqueue(&Impl::joining, std::move(client)); }

void EventLoop::Remove(LoopClient* client) { impl_->clients.erase(client); }

void EventLoop::Impl::Enqueue(std::vector<std::shared_ptr<LoopClient>> Impl::*list,
                              std::shared_ptr<LoopClient> client) {
  MutexLock lock(mutex);
  if (stopped) return;
  (this->*list).push_back(std::move(client));
  const bool first = !std::exchange(posted, true);
  lock.Unlock();
  if (!first) return;
  try {
    PostDrain();
  } catch (...) {
    // Out of memory. The next call posts again; otherwise nothing would be drained any more.
    const MutexLock again(mutex);
    posted = false;
    throw;
  }
}

void EventLoop::Impl::Drain() {
  CallDraining();  // left over if a client threw
  {
    const MutexLock lock(mutex);
    posted = false;
    std::swap(draining, joining);
  }
  for (const auto& client : draining) clients.emplace(client.get(), client);
  CallDraining();
  {
    const MutexLock lock(mutex);
    std::swap(draining, due_first);
  }
  CallDraining();
  CallSome();
  ArmTimer();
}

void EventLoop::Impl::CallDraining() {
  while (draining_at < draining.size()) draining[draining_at++]->OnScheduled();
  draining.clear();
  draining_at = 0;
}

void EventLoop::Impl::CallSome() {
  // May be left over from a previous call: the last client may have thrown.
  if (turn_at == turn.size()) {
    turn.clear();
    turn_at = 0;
    const MutexLock lock(mutex);
    std::swap(turn, due);
  }
  const std::size_t end = std::min(turn.size(), turn_at + kClientsPerTurn);
  while (turn_at < end) turn[turn_at++]->OnScheduled();
  // Posted, so that sockets are served in between.
  if (end < turn.size()) return PostDrain();
  turn.clear();
  turn_at = 0;
}

void EventLoop::Impl::StopClients() {
  std::vector<std::shared_ptr<LoopClient>> late;  // not started yet, or merely due: dropping them is enough
  {
    MutexLock lock(mutex);
    stopped = true;
    late = std::move(joining);
    for (auto* const list : {&due, &due_first}) {
      late.insert(late.end(), list->begin(), list->end());
      list->clear();
    }
  }
  draining.clear();
  draining_at = 0;
  turn.clear();
  turn_at = 0;
  const auto all = std::move(clients);
  clients.clear();
  for (const auto& [key, client] : all) client->OnStop();
  timer.cancel();
  work.reset();
}

std::vector<std::shared_ptr<LoopClient>> EventLoop::Impl::Clients() const {
  std::vector<std::shared_ptr<LoopClient>> all;
  all.reserve(clients.size());
  for (const auto& [key, client] : clients) all.push_back(client);
  return all;
}

void EventLoop::Impl::ArmTimer() {
  if (ticking || clients.empty()) return;
  ticking = true;
  timer.expires_after(tick);
  timer.async_wait([this](const error_code& error) {
    ticking = false;
    if (error) return;
    const TimePoint now = std::chrono::steady_clock::now();
    // Iterates over a copy: OnTick may remove clients.
    for (const auto& client : Clients()) client->OnTick(now);
    ArmTimer();
  });
}

struct LoopSocket::Impl {
  explicit Impl(asio::io_context& context) : descriptor(context) {}
  asio::posix::stream_descriptor descriptor;
};

LoopSocket::LoopSocket(EventLoop& loop, int fd) : fd_(fd), impl_(std::make_unique<Impl>(loop.impl_->context)) {
  error_code error;
  impl_->descriptor.assign(fd, error);
  if (error) {
    ::close(fd);
    fd_ = -1;
  }
}

LoopSocket::~LoopSocket() { Close(); }

void LoopSocket::AwaitReadable(std::shared_ptr<LoopClient> client) {
  impl_->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                               [client = std::move(client)](const error_code& error) {
                                 if (!error) client->OnReadable();
                               });
}

void LoopSocket::AwaitWritable(std::shared_ptr<LoopClient> client) {
  impl_->descriptor.async_wait(asio::posix::stream_descriptor::wait_write,
                               [client = std::move(client)](const error_code& error) {
                                 if (!error) client->OnWritable();
                               });
}

void LoopSocket::Close() {
  error_code ignored;
  impl_->descriptor.close(ignored);
  fd_ = -1;
}

}  // namespace kinformer::apiserver
