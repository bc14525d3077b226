#include "src/apiserver/http/event_loop.h"

#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kinformer/base/mutex.h>

namespace kinformer::apiserver {

namespace asio = boost::asio;
using boost::system::error_code;

struct EventLoop::Impl {
  explicit Impl(std::chrono::milliseconds interval) : tick(interval) {}

  void Drain();
  void StopClients();
  std::vector<std::shared_ptr<LoopClient>> Clients() const;
  void ArmTimer();
  // Whether nobody has posted a Drain yet; `clients_due` and `joining` are then for the next.
  bool Enqueue(std::vector<std::shared_ptr<LoopClient>>& list, std::shared_ptr<LoopClient> client)
      KINFORMER_REQUIRES(mutex) {
    list.push_back(std::move(client));
    return !std::exchange(posted, true);
  }

  const std::chrono::milliseconds tick;
  // One thread runs it; others post to it.
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  asio::steady_timer timer{context};
  bool ticking = false;
  std::unordered_map<LoopClient*, std::shared_ptr<LoopClient>> clients;
  // Swapped with `due` and `joining`, so that neither is ever allocated anew.
  std::vector<std::shared_ptr<LoopClient>> draining;

  Mutex mutex;
  bool posted KINFORMER_GUARDED_BY(mutex) = false;
  bool stopped KINFORMER_GUARDED_BY(mutex) = false;
  std::vector<std::shared_ptr<LoopClient>> due KINFORMER_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<LoopClient>> joining KINFORMER_GUARDED_BY(mutex);
};

EventLoop::EventLoop(std::chrono::milliseconds tick) : impl_(std::make_unique<Impl>(tick)) {}
EventLoop::~EventLoop() = default;

void EventLoop::Run() {
  for (;;) {
    try {
      impl_->context.run();
      return;
    } catch (...) {
      // No memory, in all likelihood. Whatever threw has lost its turn; the others go on.
    }
  }
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

void EventLoop::Schedule(std::shared_ptr<LoopClient> client) {
  MutexLock lock(impl_->mutex);
  if (impl_->stopped) return;
  const bool first = impl_->Enqueue(impl_->due, std::move(client));
  lock.Unlock();
  if (first) asio::post(impl_->context, [impl = impl_.get()] { impl->Drain(); });
}

void EventLoop::Add(std::shared_ptr<LoopClient> client) {
  MutexLock lock(impl_->mutex);
  if (impl_->stopped) return;
  const bool first = impl_->Enqueue(impl_->joining, std::move(client));
  lock.Unlock();
  if (first) asio::post(impl_->context, [impl = impl_.get()] { impl->Drain(); });
}

void EventLoop::Remove(LoopClient* client) { impl_->clients.erase(client); }

void EventLoop::Impl::Drain() {
  {
    MutexLock lock(mutex);
    posted = false;
    std::swap(draining, joining);
  }
  for (const auto& client : draining) clients.emplace(client.get(), client);
  for (const auto& client : draining) client->OnScheduled();
  draining.clear();
  {
    MutexLock lock(mutex);
    std::swap(draining, due);
  }
  for (const auto& client : draining) client->OnScheduled();
  draining.clear();
  ArmTimer();
}

void EventLoop::Impl::StopClients() {
  std::vector<std::shared_ptr<LoopClient>> late;  // these have not begun; dropping them is enough
  {
    MutexLock lock(mutex);
    stopped = true;
    late = std::move(joining);
    late.insert(late.end(), due.begin(), due.end());
    due.clear();
  }
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
    // A tick may end clients, its own and others.
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
